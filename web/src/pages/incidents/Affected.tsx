import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { LazyDetails } from '../../parts/LazyDetails.tsx';
import { Time } from '../../parts/Time.tsx';
import { shorten, showCount } from '../../state/format.ts';
import { href } from '../../state/route.ts';
import type { Story } from './story.ts';

/** The contracts with what they held before and after, and the transactions. */
export function Affected({ story }: { story: Story }) {
  const { contracts, transactions } = story;
  return (
    <section class="card" aria-labelledby="affected">
      <header>
        <h2 id="affected">Affected contracts</h2>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Holdings before and after">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Contract</th>
              <th scope="col">Lost</th>
              <th scope="col">Before → after</th>
            </tr>
          </thead>
          <tbody>
            {contracts.map(({ id, name, address, chainUid, alerts, losses }) => (
              <tr key={id}>
                <td>
                  <a class="foreign" href={href(`/contracts/${id}`)} title={address}>
                    {name.slice(0, 120)}
                  </a>
                  <span class="dim small">
                    {' '}
                    {alerts === 1 ? '1 alert' : `${showCount(alerts)} alerts`} · {chainUid}
                  </span>
                </td>
                <td>
                  {losses.length === 0 && <span class="dim">nothing known</span>}
                  {losses.map(({ asset, symbol, amount, isClaimed }) => (
                    <div key={asset}>
                      <Amount value={amount} symbol={symbol ?? shorten(asset)} />
                      {isClaimed && <span class="dim small"> as the token claims</span>}
                    </div>
                  ))}
                </td>
                <td>
                  {losses.map(({ asset, before, after }) => (
                    <div key={asset}>
                      {before === null ? (
                        <span class="dim">not known</span>
                      ) : (
                        <>
                          <Amount value={before} /> → {after === null ? '?' : <Amount value={after} />}
                        </>
                      )}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {transactions.length > 0 && (
        <LazyDetails
          summary={
            transactions.length === 1 ? '1 transaction' : `${showCount(transactions.length)} transactions`
          }
        >
          {() => (
            <ul class="list">
              {transactions.map(({ txHash, chainUid, at, alerts }) => (
                <li key={txHash} class="row tight">
                  <Address value={txHash} chainUid={chainUid} kind="transaction" />
                  <span class="dim small">
                    <Time at={at} exact /> · {alerts === 1 ? '1 alert' : `${showCount(alerts)} alerts`}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </LazyDetails>
      )}
    </section>
  );
}
