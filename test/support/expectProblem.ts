import { expect } from 'vitest';
import type { Answer, Json } from '../../testing/startTestApi.ts';

type Fault = { pointer: string; code: string; message: string };

/**
 * The answer is a problem of this status with the members of the decisions, naming the member at `pointer` if one is
 * given; returns the body, so that a test can look at its code.
 */
export function expectProblem(answer: Answer, status: number, pointer?: string): Json {
  const { body } = answer;
  expect([answer.status, answer.headers.get('content-type')], answer.text).toEqual([
    status,
    expect.stringMatching(/^application\/problem\+json(;|$)/),
  ]);
  expect(body).toMatchObject({
    type: expect.stringMatching(/^\/.+/),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z]+(-[a-z]+)*$/),
    requestId: answer.headers.get('x-request-id'),
  });
  const errors: Fault[] = body.errors ?? [];
  for (const fault of errors) {
    expect(fault).toEqual({
      pointer: expect.stringMatching(/^(\/|$)/),
      code: expect.stringMatching(/^[a-z]+(-[a-z]+)*$/),
      message: expect.stringMatching(/\S/),
    });
  }
  if (pointer !== undefined) expect(errors.map((fault) => fault.pointer)).toContain(pointer);
  return body;
}

/** The code of the fault at this pointer. */
export function faultCode(body: Json, pointer: string): string | undefined {
  const errors: Fault[] = body.errors ?? [];
  return errors.find((fault) => fault.pointer === pointer)?.code;
}
