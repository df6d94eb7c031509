// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

// Contracts with the faults by which users of protocols were robbed, and those that do the same by design.

/// Calls whatever it is told, as many routers did, while users have approved it.
contract LooseRouter {
    function run(address target, bytes calldata data) external {
        (bool isDone, ) = target.call(data);
        require(isDone);
    }
}

/// Holds allowances, and pulls for anyone.
contract LooseConduit {
    function pull(IERC20 token, address from, address to, uint256 amount) external {
        token.transferFrom(from, to, amount);
    }
}

/// Pulls through a conduit.
contract ConduitRouter {
    function take(LooseConduit conduit, IERC20 token, address from, address to, uint256 amount) external {
        conduit.pull(token, from, to, amount);
    }
}

/// Fills orders that owners have signed: pulls by design from someone who did not send the transaction.
contract OrderBook {
    function fill(IERC20 give, address owner, uint256 amount, IERC20 take, uint256 paid) external {
        give.transferFrom(owner, msg.sender, amount);
        if (paid > 0) take.transferFrom(msg.sender, owner, paid);
    }
}

/// A wallet that does what its caller says: it stands on the way of what it does itself.
contract SmartWallet {
    function run(address target, bytes calldata data) external {
        (bool isDone, ) = target.call(data);
        require(isDone);
    }
}

/// A collection from which anyone may take.
contract LooseNft {
    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(msg.sender == from || isApprovedForAll[from][msg.sender]);
        move(from, to, id);
    }

    function burnOf(address from, uint256 id) external {
        move(from, address(0), id);
    }

    function move(address from, address to, uint256 id) private {
        require(ownerOf[id] == from);
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

/// Its sum overflows, so that who has nothing can send any amount.
contract OverflowToken {
    string public constant symbol = "OVER";
    uint8 public constant decimals = 18;
    uint256 public totalSupply = 1_000_000 ether;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    constructor() {
        balanceOf[msg.sender] = totalSupply;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }

    function batchTransfer(address[] calldata to, uint256 amount) external {
        unchecked {
            uint256 sum = to.length * amount;
            require(balanceOf[msg.sender] >= sum);
            balanceOf[msg.sender] -= sum;
            for (uint256 index = 0; index < to.length; index++) {
                balanceOf[to[index]] += amount;
                emit Transfer(msg.sender, to[index], amount);
            }
        }
    }
}

/// Can be initialised again by anyone.
contract LooseInit {
    address public admin;
    uint256 public uses;

    function initialize(address newAdmin) external {
        admin = newAdmin;
    }

    function use() external {
        uses++;
    }
}

/// A pool that is neither V2 nor V3: it says its price when it is asked.
contract RatePool {
    uint256 public get_virtual_price = 1 ether;

    function skew(uint256 price) external {
        get_virtual_price = price;
    }
}

contract RateLender {
    RatePool public pool;

    constructor(RatePool source) {
        pool = source;
    }

    receive() external payable {}

    function borrow(address payable to, uint256 amount) external {
        require(pool.get_virtual_price() > 0);
        to.transfer(amount);
    }
}

/// Two contracts of one protocol: the first pays out and calls back, the second counts shares that depend on it.
contract SisterVault {
    mapping(address => uint256) public shares;

    receive() external payable {}

    function payOut(address to, uint256 amount) external {
        (bool isPaid, ) = to.call{value: amount}("");
        require(isPaid);
    }

    function claim() external {
        shares[msg.sender]++;
    }
}

contract SisterThief {
    SisterVault private other;

    function rob(SisterVault first, SisterVault second, uint256 amount) external {
        other = second;
        first.payOut(address(this), amount);
    }

    receive() external payable {
        other.claim();
    }
}

/// A pool of two tokens that gives what its caller asks for.
contract SwapPair {
    IERC20 public token0;
    IERC20 public token1;

    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );

    constructor(IERC20 first, IERC20 second) {
        (token0, token1) = (first, second);
    }

    /// Gives first, as pairs do that lend to who calls them with data; who is asked to pay is left to the caller.
    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        if (out0 > 0) token0.transfer(to, out0);
        if (out1 > 0) token1.transfer(to, out1);
    }

    function sell(uint256 amount, uint256 out) external {
        token0.transferFrom(msg.sender, address(this), amount);
        token1.transfer(msg.sender, out);
        emit Swap(msg.sender, amount, 0, 0, out, msg.sender);
    }
}
