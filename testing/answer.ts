// biome-ignore lint/suspicious/noExplicitAny: answers are read member by member, and a wrong member fails the test.
export type Json = { [member: string]: any }; // oxlint-disable-line typescript/no-explicit-any
export type Answer = { status: number; body: Json; text: string; headers: Headers };
