/** A selector and ten words, as is kept of the inputs of a large trace. */
const headBytes = 4 + 10 * 32;

/**
 * A tracer that the node runs itself, for a transaction whose trace is too large to be sent: the tree of calls with the heads of
 * inputs and outputs. Creation codes stay whole, because their caller pays for each byte. Nodes without it refuse it.
 */
export const headsTracer = `{
  calls: [],
  open: [],
  head: function (bytes) { return toHex(slice(bytes, 0, Math.min(bytes.length, ${headBytes}))); },
  add: function (call, input, value) {
    var isCreation = call.type === 'CREATE' || call.type === 'CREATE2';
    call.value = value === undefined || value === null ? '0x0' : '0x' + value.toString(16);
    call.input = isCreation ? toHex(input) : this.head(input);
    if (!isCreation && input.length > ${headBytes}) call.inputLength = 2 + 2 * input.length;
    return call;
  },
  enter: function (frame) {
    var call = { type: frame.getType(), from: toHex(frame.getFrom()), to: toHex(frame.getTo()), calls: [] };
    var around = this.open.length > 0 ? this.open[this.open.length - 1].calls : this.calls;
    around.push(this.add(call, frame.getInput(), frame.getValue()));
    this.open.push(call);
  },
  exit: function (outcome) {
    var call = this.open.pop();
    var error = outcome.getError();
    if (error !== undefined && error !== null) call.error = String(error);
    var output = outcome.getOutput();
    if (output !== undefined && output !== null) call.output = this.head(output);
  },
  fault: function () {},
  result: function (context) {
    var call = { type: context.type, from: toHex(context.from), to: toHex(context.to) };
    if (context.error !== undefined && context.error !== null) call.error = String(context.error);
    this.add(call, context.input, context.value).calls = this.calls;
    return call;
  }
}`;
