import { describe, expect, it } from 'vitest';
import { isInContainer } from './findLostData.ts';

const root = '600 500 0:52 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a,upperdir=/b';
const volume = '610 600 8:1 /volumes/x/_data /var/lib/vigil rw - ext4 /dev/sda1 rw';
const named = '611 600 8:1 /v /var/lib/my\\040data rw - ext4 /dev/sda1 rw';

describe('a data folder in a container', () => {
  it.each([
    ['of its own files', [root], '/var/lib/vigil', true],
    ['on a volume', [root, volume], '/var/lib/vigil', false],
    ['below a volume', [root, volume], '/var/lib/vigil/data', false],
    ['beside a volume with the same beginning', [root, volume], '/var/lib/vigil2', true],
    ['on a volume whose name has a space', [root, named], '/var/lib/my data', false],
    ['of a machine that is no container', ['1 0 8:1 / / rw - ext4 /dev/sda1 rw'], '/var/lib/vigil', false],
    ['of a system without such a list', [''], '/var/lib/vigil', false],
  ])('%s is told by the mounts', (_, mounts, folder, expected) => {
    expect(isInContainer(folder, mounts.join('\n'))).toBe(expected);
  });
});
