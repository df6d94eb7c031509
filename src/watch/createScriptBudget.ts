type Account = { leftMs: number; at: number };

/** Script time that a tenant gains with each block, and with each millisecond that passes; and the most that it can save. */
const perBlockMs = 5;
const perMs = 0.1;
const maxSavedMs = 50;

/**
 * How much time the scripts of each tenant may take while a block waits for them. What was used beyond it is a debt that
 * must be paid off first, so that in the long run no tenant holds a chain up by more than its share.
 */
export function createScriptBudget(now: () => number = () => performance.now()) {
  const accounts = new Map<number, Account>();

  function refill(tenantId: number): Account {
    const at = now();
    const account = accounts.get(tenantId) ?? { leftMs: maxSavedMs, at };
    accounts.set(tenantId, account);
    account.leftMs = Math.min(maxSavedMs, account.leftMs + perBlockMs + (at - account.at) * perMs);
    account.at = at;
    return account;
  }

  return {
    /** What every tenant may use for one block; the sandbox takes from it what is used. */
    openBlock(): (tenantId: number) => { leftMs: number } {
      const opened = new Map<number, Account>();
      return (tenantId) => {
        const account = opened.get(tenantId) ?? refill(tenantId);
        opened.set(tenantId, account);
        return account;
      };
    },
  };
}
