import { AbiConstructor, AbiFunction, AbiParameters, type Hex } from 'ox';
import type { Receipt, Transaction } from './anvilTransaction.ts';
import type { Artifact } from './contracts/artifacts.ts';

/** What a contract needs of its chain. */
type Chain = {
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  send(tx: Transaction): Promise<Receipt>;
};

export type Contract = {
  address: Hex.Hex;
  abi: Artifact['abi'];
  encode(name: string, ...args: unknown[]): Hex.Hex;
  /** Reads at the head: one output plain, several as an array. */
  call(name: string, ...args: unknown[]): Promise<unknown>;
  /** Throws when the call reverts; use `anvil.send` with `encode` for one that shall. */
  send(from: string | { from: string; value: bigint }, name: string, ...args: unknown[]): Promise<Receipt>;
};

export function createContract({ rpc, send }: Chain, address: Hex.Hex, abi: Artifact['abi']): Contract {
  const encode = (name: string, ...args: unknown[]) => encodeCall(findFunction(abi, name), args);
  return {
    address,
    abi,
    encode,
    async call(name, ...args) {
      const data = await rpc<Hex.Hex>('eth_call', { to: address, data: encode(name, ...args) }, 'latest');
      const outputs: unknown = AbiParameters.decode(findFunction(abi, name).outputs, data);
      return Array.isArray(outputs) && outputs.length === 1 ? outputs[0] : outputs;
    },
    async send(sender, name, ...args) {
      const tx = typeof sender === 'string' ? { from: sender } : sender;
      const receipt = await send({ ...tx, to: address, data: encode(name, ...args) });
      if (receipt.status === 'success') return receipt;
      // The receipt has no reason; a repeated call has.
      const value = 'value' in tx ? `0x${tx.value.toString(16)}` : '0x0';
      const call = { from: tx.from, to: address, data: encode(name, ...args), value };
      const reason = await rpc('eth_call', call, `0x${(receipt.blockNumber - 1n).toString(16)}`).then(
        () => 'only in its block',
        (error: Error) => error.message,
      );
      throw new Error(`${name} reverted in ${receipt.transactionHash}: ${reason}`);
    },
  };
}

export function encodeDeployment({ abi, bytecode }: Artifact, args: readonly unknown[]): Hex.Hex {
  const builder = abi.find((item) => item.type === 'constructor');
  if (!builder || builder.inputs.length === 0) return bytecode;
  return AbiConstructor.encode(builder, { bytecode, args });
}

/** A call of a function of these contracts. */
export function encodeFunction({ abi }: Artifact, name: string, args: readonly unknown[]): Hex.Hex {
  return encodeCall(findFunction(abi, name), args);
}

function findFunction(abi: Artifact['abi'], name: string): AbiFunction.AbiFunction {
  const found = abi.find((item) => item.type === 'function' && item.name === name);
  if (found?.type === 'function') return found;
  const names = abi.flatMap((item) => (item.type === 'function' ? [item.name] : []));
  throw new Error(`The contract has no function ${name}; it has ${names.join(', ')}.`);
}

function encodeCall(item: AbiFunction.AbiFunction, args: readonly unknown[]): Hex.Hex {
  return `0x${AbiFunction.getSelector(item).slice(2)}${AbiParameters.encode(item.inputs, args).slice(2)}`;
}
