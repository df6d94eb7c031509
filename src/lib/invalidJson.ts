export class InvalidJson extends Error {
  override readonly name: string = 'InvalidJson';
}

export class TooDeep extends InvalidJson {
  constructor() {
    super('It is nested too deeply.');
  }
}

export class TooManyValues extends InvalidJson {
  constructor() {
    super('It has too many values.');
  }
}
