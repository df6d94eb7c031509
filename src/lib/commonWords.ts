/** Words that passwords are made of again and again; decorated and in capitals they make up most of what is guessed first. */
export const commonWords: ReadonlySet<string> = new Set(
  `
password passwort passw0rd passwd pass word passcode passphrase secret secrets geheim contrasena senha parola haslo
wachtwoord motdepasse losenord salasana heslo parool sifre kennwort hello hallo hola bonjour ciao salut welcome
willkommen bienvenue bienvenido letmein letme openup open sesame opensesame enter entry access login logon signin
admin administrator root toor user username guest test tester testing demo default changeme change changeit temp
temporary temppass system server service master masterkey super superuser superman superwoman manager office company
account network internet intranet computer laptop desktop windows linux ubuntu debian apple macbook iphone android
samsung nokia google facebook twitter instagram youtube amazon netflix microsoft oracle cisco database backup support
helpdesk security secure private public public123 monitor monitoring blockchain bitcoin ethereum crypto wallet token
coin satoshi metamask binance solidity defi hodl lambo moon tothemoon qwerty qwertyuiop qwertz azerty asdf asdfgh
asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qwer qweasd qweasdzxc qwe asd zxc dvorak iloveyou iloveu loveyou loveme love
lover lovely loves mylove myself jetaime teamo tequiero ichliebedich amor amore amour liebe baby babygirl babyboy babe
honey sweet sweetie sweetheart darling angel angels princess prince queen king kings heart hearts sunshine sunset
sunrise sunny sunday monday tuesday wednesday thursday friday saturday january february march april june july august
september october november december spring summer autumn winter season sommer fruehling herbst morning evening night
monkey dragon tiger tigers lion lions eagle eagles falcon falcons hawk bear bears panther panthers wolf wolves fox
horse horses dog dogs doggy puppy cat cats kitty kitten bunny rabbit mouse bird birds fish dolphin dolphins shark
sharks whale snake cobra viper turtle frog spider scorpion butterfly pony elephant giraffe zebra gorilla donkey
chicken duck penguin panda buffalo football baseball basketball volleyball hockey soccer tennis golf golfer rugby
cricket boxing karate ninja samurai warrior warriors fighter hunter shooter sniper killer soldier marine army navy
pirate pirates knight knights viking vikings wizard magic merlin gandalf frodo hobbit starwars startrek skywalker
vader darth yoda jedi matrix batman spiderman ironman hulk pokemon pikachu charizard naruto sasuke goku dragonball
mario luigi zelda sonic minecraft fortnite roblox warcraft starcraft diablo counter counterstrike halo doom quake
callofduty gamer gaming games game player players play xbox playstation nintendo michael jordan jordan23 daniel david
robert thomas james john johnny william richard charles george joseph joshua matthew andrew anthony steven stephen
kevin brian ryan jason justin jeffrey scott eric mark paul peter patrick alex alexander alexandra alexis ashley
jessica jennifer michelle nicole amanda melissa samantha stephanie elizabeth sarah rachel rebecca laura linda lisa
maria mary anna anne hannah emily emma olivia sophie sophia julia martin martina chris christian christina christopher
benjamin nicholas nathan jonathan brandon tyler austin dylan zachary cameron jackson mason logan lucas oscar felix
simon stefan andreas sebastian tobias florian philipp marcel marco luca antonio carlos jose juan pedro miguel fernando
alejandro roberto ricardo eduardo francisco diego pablo sergio vladimir dmitri ivan igor natasha tatiana olga sergey
andrey mohammed muhammad ahmed ali omar fatima krishna ganesh rahul priya deepak raj lucky luck happy smile smiley
funny crazy cool awesome beautiful pretty handsome sexy hottie hotstuff cutie cute gorgeous perfect forever always
never nothing something anything everything nobody somebody everybody whatever whoever whynot because please thanks
thankyou goodluck goodbye farewell family mother mommy mom mama mutter father daddy dad papa vater brother sister
bruder schwester friend friends freund bestfriend girlfriend boyfriend husband wife wedding marriage child children
kids boys girls boy girl man men woman women lady ladies jesus christ jesuschrist god godisgood blessed blessing faith
hope grace heaven hell devil satan demon church bible genesis money dollar dollars euro rich richest million billion
cash gold golden silver diamond diamonds platinum jewel pearl crystal ferrari porsche mercedes bmw audi toyota honda
yamaha suzuki kawasaki harley davidson mustang corvette camaro chevy chevrolet dodge ford nissan subaru mazda volvo
jaguar lamborghini bugatti maserati racing racer driver trucker truck chelsea arsenal liverpool manchester united
manunited barcelona realmadrid madrid juventus milan inter bayern dortmund schalke celtic rangers everton tottenham
newcastle yankees redsox dodgers cubs giants cowboys steelers packers raiders patriots broncos lakers bulls celtics
knicks heat spurs arizona texas florida california newyork boston chicago dallas denver phoenix orlando houston london
paris berlin munich hamburg vienna zurich rome roma milano lisbon amsterdam brussels moscow tokyo beijing shanghai
sydney melbourne canada america american usa england english scotland ireland irish france french germany deutschland
german italy italia italian spain espana russia russian china india indian brazil brasil mexico japan korea flower
flowers rose roses lily daisy violet jasmine sakura cherry banana orange lemon peach strawberry chocolate cookie
cookies candy sugar pepper ginger cheese butter pizza burger taco coffee cappuccino tea beer whiskey vodka tequila
purple yellow green blue black white red pink brown grey rainbow color colour snow snowball snowman ice fire flame
water ocean river lake beach island mountain forest garden storm thunder lightning hurricane tornado volcano
earthquake star stars planet earth mars venus saturn jupiter galaxy universe space shadow darkness midnight light
shine music guitar piano drums drummer bass rock rockstar rocknroll metallica slipknot nirvana eminem tupac beatles
elvis madonna beyonce rihanna shakira bieber onedirection blink182 greenday linkinpark coldplay acdc ironmaiden hiphop
dance dancer school college university student teacher class grade study learning library freedom liberty peace power
energy strong strength victory winner champion champions legend legends hero heroes trustno1 trust believe dream
dreams dreamer imagine create creative apollo athena zeus hercules thor odin loki poseidon medusa maverick rebel
outlaw gangster gangsta pimp boss bigboss chief captain major general colonel sergeant president doctor nurse lawyer
police fireman pilot sailor fuckyou fuckoff fuck fucker shit asshole bitch bastard sexsex sex pussy penis dick cock
boobs tits naked porn horny biteme suckit screwyou shutup idiot stupid loser dumbass whocares ihateyou hateyou hate
killme suicide death dead zombie vampire ghost monster beast alien aliens robot machine cyber hacker hacking hack neo
trinity morpheus zion abc abcd abcdef aaa xxx zzz foo bar foobar baz qux lorem ipsum example sample hunter2
correcthorsebatterystaple dadada lalala blabla hahaha jajaja nanana yadayada blahblah mypassword mypass yourpassword
thepassword newpassword oldpassword nopassword mysecret topsecret supersecret secretpassword passwordone adminadmin
rootroot useruser testtest testpassword userpassword adminpassword rootpassword defaultpassword password1 pass123
pass1234 admin123 root123 test123 abc123 qwe123 q1w2e3r4 1q2w3e4r zaq1zaq1 qwerty1 monkey1 dragon1 letmein1 welcome1
iloveyou1 princess1 football1 baseball1 shadow1 master1 superman1 batman1 sunshine1 charlie charlie1 donald trump
biden obama clinton putin merkel michaeljackson buster bailey bandit barney bella bubba bubbles buddy chester coco
cooper duke gizmo jack jake jasper lucy maggie max maxwell misty molly mickey minnie murphy oliver oreo patches peanut
precious rascal rocky rusty sadie sam sammy samson sasha scooter simba smokey snoopy snowflake spike tigger toby
tucker winston winnie zoe ziggy startup business marketing finance banking banker trading trader trade stocks forex
invest investor capital treasury vault admin1 operator operations alert alerts watch watcher guardian sentinel shield
`
    .trim()
    .split(/\s+/),
);
