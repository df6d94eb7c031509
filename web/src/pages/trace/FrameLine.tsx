import { Amount } from '../../parts/Amount.tsx';
import { shorten } from '../../state/format.ts';
import { maxIndent } from './arrangeFrames.ts';
import type { Frame, Party } from './trace.ts';

/** A call in one line: whose function, with which values, and how much moved with it. */
export function FrameLine({
  frame,
  parties,
  symbol,
}: {
  frame: Frame;
  parties: ReadonlyMap<string, Party>;
  symbol: string;
}) {
  const {
    depth,
    type,
    to,
    value,
    amount,
    selector,
    arguments: values,
    isReverted,
    reason,
    inputBytes,
  } = frame;
  const name = frame.function?.split('(')[0];
  return (
    <span class="line">
      {depth > maxIndent && <span class="dim small">{depth} deep </span>}
      {type !== 'CALL' && <span class="call-type">{verbs[type]} </span>}
      <Named address={to} parties={parties} />
      {type === 'SELFDESTRUCT' || type.startsWith('CREATE') ? (
        type !== 'SELFDESTRUCT' && (
          <span class="dim small"> {inputBytes.toLocaleString('en')} bytes of code</span>
        )
      ) : (
        <span class="mono foreign">
          {name !== undefined || selector !== null ? `.${name ?? selector}` : ''}
          {name !== undefined && (
            <>
              (
              {values.map((argument, place) => (
                <span key={place}>
                  {place > 0 && ', '}
                  <span class="dim">{argument.name}: </span>
                  {argument.shown === null ? (
                    <Value value={argument.value} parties={parties} />
                  ) : (
                    <strong class="foreign" title={argument.value}>
                      {argument.shown}
                    </strong>
                  )}
                </span>
              ))}
              )
            </>
          )}
        </span>
      )}
      {value !== '0' && (
        <strong class="coins">
          {' '}
          <Amount value={amount} symbol={symbol} />
        </strong>
      )}
      {isReverted && (
        <strong class="bad foreign">
          {' '}
          {reason === null ? 'reverted with its caller' : `reverted: ${reason}`}
        </strong>
      )}
    </span>
  );
}

const verbs: Record<Frame['type'], string> = {
  CALL: 'calls',
  STATICCALL: 'reads',
  DELEGATECALL: 'borrows the code of',
  CALLCODE: 'borrows the code of',
  CREATE: 'creates',
  CREATE2: 'creates',
  SELFDESTRUCT: 'destroys itself in favour of',
};

function Named({ address, parties }: { address: string | null; parties: ReadonlyMap<string, Party> }) {
  if (address === null) return <span class="dim">nothing</span>;
  const party = parties.get(address);
  return (
    <span class={`foreign${party ? ' known' : ' mono'}`} title={address}>
      {party ? party.name.slice(0, 80) : shorten(address, 6, 4)}
      {party?.tags.slice(0, 3).map((tag) => (
        <span key={tag} class="bad small">
          {' '}
          {tag}
        </span>
      ))}
    </span>
  );
}

/** Addresses by their names, and long values by their ends. */
function Value({ value, parties }: { value: string; parties: ReadonlyMap<string, Party> }) {
  if (/^0x[0-9a-f]{40}$/.test(value)) return <Named address={value} parties={parties} />;
  return (
    <span class="foreign" title={value}>
      {value.length > 60 ? `${value.slice(0, 40)}…` : value}
    </span>
  );
}
