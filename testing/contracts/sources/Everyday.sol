// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.28;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

// What teams run every day, each with a fault by which one like it was robbed.

/// Its shares are worth what it holds, so a gift changes their price.
contract ShareVault is ERC4626 {
    constructor(IERC20 asset) ERC4626(asset) ERC20("Shares", "SHR") {}
}

/// One side of a bridge: it pays out what a proof says, and takes any proof.
contract Lockbox {
    event Locked(address indexed token, address indexed who, uint256 amount);
    event Released(address indexed token, address indexed to, uint256 amount);

    function lock(IERC20 token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        emit Locked(address(token), msg.sender, amount);
    }

    function release(IERC20 token, address to, uint256 amount, bytes calldata) external {
        token.transfer(to, amount);
        emit Released(address(token), to, amount);
    }
}

/// Keeps pieces of a collection for their owners, and gives them to anyone.
contract PieceVault {
    function put(IERC721 collection, uint256[] calldata ids) external {
        for (uint256 at = 0; at < ids.length; at++) collection.transferFrom(msg.sender, address(this), ids[at]);
    }

    function take(IERC721 collection, uint256[] calldata ids, address to) external {
        for (uint256 at = 0; at < ids.length; at++) collection.transferFrom(address(this), to, ids[at]);
    }
}

/// Lends by a price that anyone may set.
contract PricedBank {
    RateSource public source;
    IERC20 public collateral;
    IERC20 public money;

    constructor(RateSource source_, IERC20 collateral_, IERC20 money_) {
        (source, collateral, money) = (source_, collateral_, money_);
    }

    function borrow(uint256 given, uint256 wanted) external {
        require(wanted <= (given * source.getPrice()) / 1 ether);
        collateral.transferFrom(msg.sender, address(this), given);
        money.transfer(msg.sender, wanted);
    }

    function repay(uint256 paid, uint256 back) external {
        money.transferFrom(msg.sender, address(this), paid);
        collateral.transfer(msg.sender, back);
    }
}

contract RateSource {
    uint256 public getPrice = 1 ether;

    function set(uint256 price) external {
        getPrice = price;
    }
}

/// The delay of OpenZeppelin's timelock, which holds a treasury.
contract Treasury is TimelockController {
    constructor(address[] memory who) TimelockController(0, who, who, who[0]) {}
}

/// Money that anyone may make, so that it works at any address.
contract Dollars is ERC20 {
    constructor() ERC20("", "") {}

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Says that it is worth a dollar, at any address.
contract DollarFeed {
    uint8 public constant decimals = 8;

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, 1e8, block.timestamp, block.timestamp, 1);
    }
}

/// Reports nothing of what it moves.
contract MuteToken {
    string public constant symbol = "MUTE";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}
