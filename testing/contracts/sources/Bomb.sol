// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.28;

/// Makes a huge trace for little gas: each call passes the same memory to an address without code.
contract Bomb {
    event Named(address indexed one);

    function burst(uint256 calls, uint256 size) public {
        assembly {
            for { let n := 0 } lt(n, calls) { n := add(n, 1) } {
                pop(call(gas(), 0xdead, 0, 0, size, 0, 0))
            }
        }
    }

    /// The same in a transaction that visibly has to do with someone.
    function burstAt(address one, uint256 calls, uint256 size) external {
        emit Named(one);
        burst(calls, size);
    }

    /// Calls another after it has filled the trace.
    function burstAndCall(uint256 calls, uint256 size, address target, bytes calldata data) external {
        burst(calls, size);
        (bool isDone, ) = target.call(data);
        require(isDone);
    }
}
