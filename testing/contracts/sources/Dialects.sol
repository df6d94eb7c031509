// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Emits any log, so that a test can speak every dialect.
contract Speaker {
    function say(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory copy = data;
        assembly {
            let start := add(copy, 32)
            let size := mload(copy)
            let first := topics.offset
            switch topics.length
            case 1 { log1(start, size, calldataload(first)) }
            case 2 { log2(start, size, calldataload(first), calldataload(add(first, 32))) }
            case 3 { log3(start, size, calldataload(first), calldataload(add(first, 32)), calldataload(add(first, 64))) }
            case 4 {
                log4(
                    start,
                    size,
                    calldataload(first),
                    calldataload(add(first, 32)),
                    calldataload(add(first, 64)),
                    calldataload(add(first, 96))
                )
            }
        }
    }
}

/// A token of the early days: its event indexes nothing. It can mint without any event.
contract PlainToken {
    event Transfer(address from, address to, uint256 value);

    string public symbol = "OLD";
    uint8 public decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        mintSilently(to, value);
        emit Transfer(address(0), to, value);
    }

    function mintSilently(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// A collection of the early days: its event indexes nothing, so that the id of a piece looks like an amount.
contract PlainCollection {
    event Transfer(address from, address to, uint256 tokenId);

    string public symbol = "CK";
    mapping(uint256 => address) public ownerOf;

    function give(address to, uint256 tokenId) external {
        emit Transfer(ownerOf[tokenId], to, tokenId);
        ownerOf[tokenId] = to;
    }
}

/// The module functions of a Safe 1.4; slot 0 is kept free for the singleton.
contract SafeWithModules {
    event ExecutionFromModuleSuccess(address indexed module);
    event SafeModuleTransaction(address module, address to, uint256 value, bytes data, uint8 operation);

    address private singleton;
    uint256 public nonce;
    bool private announces;

    function setAnnounces(bool on) external {
        announces = on;
    }

    function execTransactionFromModule(address to, uint256 value, bytes calldata data, uint8 operation)
        external
        returns (bool success)
    {
        if (announces) emit SafeModuleTransaction(msg.sender, to, value, data, operation);
        if (operation == 1) (success,) = to.delegatecall(data);
        else (success,) = to.call{value: value}(data);
        if (success) emit ExecutionFromModuleSuccess(msg.sender);
    }
}

/// A module whose own call data does not show what it makes the Safe do.
contract HiddenModule {
    address private immutable target;
    bytes private data;

    constructor(address target_, bytes memory data_) {
        (target, data) = (target_, data_);
    }

    function run(address safe, uint8 operation) external {
        SafeWithModules(safe).execTransactionFromModule(target, 0, data, operation);
    }
}

/// A token of many kinds in one contract.
contract MultiToken {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );

    mapping(uint256 => mapping(address => uint256)) private balances;

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return balances[id][account];
    }

    function mint(address to, uint256 id, uint256 value) external {
        balances[id][to] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    /// Anyone may move anything.
    function move(address from, address to, uint256 id, uint256 value) external {
        balances[id][from] -= value;
        balances[id][to] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }
}

/// Its owner changes without an event.
contract SilentlyOwned {
    address public owner = msg.sender;

    function setOwner(address next) external {
        owner = next;
    }

    function use() external {}
}
