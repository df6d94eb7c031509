import { NumberInput } from './NumberInput.tsx';
import type { WidgetProps } from './schemaTypes.ts';

/** A number that people give in another unit than the API: `size` of the API's unit make one. */
export function scaledBy(size: number) {
  return (props: WidgetProps) => <ScaledInput {...props} size={size} />;
}

function ScaledInput({ size, ...props }: WidgetProps & { size: number }) {
  const { schema, value, onChange } = props;
  const { minimum, maximum, default: standard, ...rest } = schema;
  const scaled = (number: unknown) => (typeof number === 'number' ? number / size : undefined);
  const [low, high, usual] = [scaled(minimum), scaled(maximum), scaled(standard)];
  return (
    <NumberInput
      {...props}
      schema={{
        ...rest,
        type: 'number',
        examples: [],
        ...(low === undefined ? {} : { minimum: low }),
        ...(high === undefined ? {} : { maximum: high }),
        ...(usual === undefined ? {} : { default: usual }),
      }}
      value={scaled(value)}
      onChange={(next) => onChange(typeof next === 'number' ? Math.round(next * size) : undefined)}
    />
  );
}
