export type ScriptBudget = ReturnType<typeof createScriptBudget>;

type Account = { remainingMs: number; at: number };

/** Script time that a tenant gains with each block and with each millisecond that passes, and the limit of what it can save. */
const perBlockMs = 5;
const perMs = 0.1;
const maxSavedMs = 50;

/**
 * Limits the time that a tenant's scripts may take while a block waits for them. Excess is a debt that the next blocks
 * pay off, so no tenant delays a chain beyond its share.
 */
export function createScriptBudget(now: () => number = () => performance.now()) {
  const accounts = new Map<number, Account>();

  function refill(tenantId: number): Account {
    const at = now();
    const account = accounts.get(tenantId) ?? { remainingMs: maxSavedMs, at };
    accounts.set(tenantId, account);
    account.remainingMs = Math.min(maxSavedMs, account.remainingMs + perBlockMs + (at - account.at) * perMs);
    account.at = at;
    return account;
  }

  return {
    /** The allowance of each tenant for one block; the sandbox deducts what scripts use. */
    openBlock(): (tenantId: number) => { remainingMs: number } {
      const opened = new Map<number, Account>();
      return (tenantId) => {
        const account = opened.get(tenantId) ?? refill(tenantId);
        opened.set(tenantId, account);
        return account;
      };
    },
  };
}
