import type { JSX } from 'preact';
import type { Schema } from '../state/schemas.ts';

export type WidgetProps = {
  id: string;
  schema: Schema;
  value: unknown;
  onChange(value: unknown): void;
  /** Its label and hint, for widgets made of several controls. */
  label: string;
  describedBy: string;
  isInvalid: boolean;
  /** The name of the member, and the members beside it. */
  name: string;
  siblings: Readonly<Record<string, unknown>>;
};
/** A control of one's own for a member (by name) or for a format (as `format:duration`). */
export type Widgets = Readonly<Record<string, (props: WidgetProps) => JSX.Element>>;

/** The type beside null. */
export function baseType({ type, anyOf }: Schema): string | undefined {
  if (Array.isArray(type)) return type.find((word) => word !== 'null');
  return type ?? (anyOf ? baseType(anyOf.find((option) => option.type !== 'null') ?? {}) : undefined);
}

/** Attributes of a control that its label and its faults refer to. */
export function controlAttributes({
  id,
  describedBy,
  isInvalid,
}: Pick<WidgetProps, 'id' | 'describedBy' | 'isInvalid'>) {
  return { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid };
}

export function placeholderOf({ default: standard, examples }: Schema): string {
  if (standard !== undefined && standard !== null && typeof standard !== 'object' && standard !== '')
    return String(standard);
  const example = examples?.[0];
  return typeof example === 'string' || typeof example === 'number' ? `for example ${example}` : '';
}
