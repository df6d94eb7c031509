export class InvalidJson extends Error {
  override readonly name: string = 'InvalidJson';
}

export class TooDeep extends InvalidJson {
  override readonly name = 'TooDeep';

  constructor() {
    super('It is nested too deeply.');
  }
}

export class TooManyValues extends InvalidJson {
  override readonly name = 'TooManyValues';

  constructor() {
    super('It has too many values.');
  }
}
