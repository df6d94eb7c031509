import { describe, expect, it } from 'vitest';
import { readSanctions } from './readSanctions.ts';

// All files here were written for these tests from the published formats; the people and companies do not exist.
const evm = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
const bitcoin = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const sdn = `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
  <publshInformation><Publish_Date>11/01/2026</Publish_Date><Record_Count>2</Record_Count></publshInformation>
  <sdnEntry>
    <uid>90001</uid><firstName>Jane</firstName><lastName>EXAMPLE</lastName><sdnType>Individual</sdnType>
    <programList><program>CYBER2</program><program>DPRK3</program></programList>
    <idList>
      <id><uid>1</uid><idType>Passport</idType><idNumber>X1</idNumber></id>
      <id><uid>2</uid><idType>Digital Currency Address - XBT</idType><idNumber>${bitcoin}</idNumber></id>
      <id><uid>3</uid><idType>Digital Currency Address - ETH</idType><idNumber> ${evm} </idNumber></id>
      <id><uid>4</uid><idType>Digital Currency Address - USDT</idType><idNumber>${tron}</idNumber></id>
      <id><uid>5</uid><idType>Digital Currency Address - XMR</idType><idNumber>4abc</idNumber></id>
    </idList>
  </sdnEntry>
  <sdnEntry><uid>90002</uid><lastName>NOTHING LTD</lastName><sdnType>Entity</sdnType></sdnEntry>
</sdnList>`;

const advanced = `<?xml version="1.0" encoding="utf-8"?>
<Sanctions xmlns="http://www.un.org/sanctions/1.0">
  <ReferenceValueSets><FeatureTypeValues>
    <FeatureType ID="25" FeatureTypeGroupID="1">Vessel Type</FeatureType>
    <FeatureType ID="345" FeatureTypeGroupID="1">Digital Currency Address - ETH</FeatureType>
  </FeatureTypeValues></ReferenceValueSets>
  <DistinctParties>
    <DistinctParty FixedRef="90001"><Profile ID="90001"><Identity ID="7">
      <Alias Primary="false"><DocumentedName><DocumentedNamePart><NamePartValue>Other</NamePartValue></DocumentedNamePart></DocumentedName></Alias>
      <Alias Primary="true"><DocumentedName>
        <DocumentedNamePart><NamePartValue>EXAMPLE</NamePartValue></DocumentedNamePart>
        <DocumentedNamePart><NamePartValue>Jane</NamePartValue></DocumentedNamePart>
      </DocumentedName></Alias></Identity>
      <Feature ID="1" FeatureTypeID="25"><FeatureVersion><VersionDetail>Tanker</VersionDetail></FeatureVersion></Feature>
      <Feature ID="2" FeatureTypeID="345"><FeatureVersion ID="3"><Comment />
        <VersionDetail DetailTypeID="1432">${evm}</VersionDetail></FeatureVersion></Feature>
    </Profile></DistinctParty>
  </DistinctParties>
</Sanctions>`;

const enhanced = `<?xml version="1.0" encoding="utf-8"?>
<sanctionsData xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ENHANCED_XML">
  <publicationInfo><dataAsOf>2026-11-01T00:00:00</dataAsOf></publicationInfo>
  <entities><entity id="90001">
    <generalInfo><entityType refId="600">Individual</entityType></generalInfo>
    <sanctionsPrograms><sanctionsProgram refId="91" id="1">CYBER2</sanctionsProgram></sanctionsPrograms>
    <names>
      <name id="1"><isPrimary>false</isPrimary><translations><translation><formattedFullName>OTHER</formattedFullName></translation></translations></name>
      <name id="2"><isPrimary>true</isPrimary><translations><translation><formattedFullName>EXAMPLE, Jane</formattedFullName></translation></translations></name>
    </names>
    <features>
      <feature id="1"><type featureTypeId="8">Birthdate</type><value>1990</value></feature>
      <feature id="2"><type featureTypeId="345">Digital Currency Address - ETH</type><value>${evm}</value></feature>
    </features>
  </entity></entities>
</sanctionsData>`;

const sdnCsv = `90001,"EXAMPLE, Jane","individual","CYBER2] [DPRK3",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 1 Jan 1990; Digital Currency Address - XBT ${bitcoin}; alt. Digital Currency Address - ETH ${evm}; Gender Female."
90002,"NOTHING LTD",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0-
\u001a
`;

const eu = `<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-11-01T00:00:00+01:00">
  <sanctionEntity euReferenceNumber="EU.9000.1" logicalId="1">
    <remark>Wallets: ${evm}, ${segwit}; not one: 0x1234 or ${bitcoin.replace('a', 'b')}</remark>
    <regulation programme="UKR" numberTitle="269/2014"/>
    <nameAlias wholeName="Example Exchange" strong="true"/><nameAlias wholeName="Another"/>
    <identification identificationTypeCode="other" number="${tron}"/>
  </sanctionEntity>
</export>`;

const euCsv = `fileGenerationDate;Entity_LogicalId;Entity_EU_ReferenceNumber;Entity_Remark;Entity_Regulation_Programme;NameAlias_WholeName
01/11/2026;1;EU.9000.1;"Wallet; ${evm}";UKR;Example Exchange
`;

const ukCsv = `Report Date: 01-Nov-2026
Last Updated,Unique ID,OFSI Group ID,Name 6,Name 1,Name 2,Regime Name,Other Information
01/11/2026,RUS9001,77,EXAMPLE,Jane,,Russia,"Uses, among others, ${evm}."
`;

const ukConList = `Last Updated,01/11/2026
Name 6,Name 1,Name 2,Regime,Group ID,Other Information
EXAMPLE,Jane,,Russia,77,${evm}
`;

const ukTargets = `<ArrayOfFinancialSanctionsTarget xmlns="http://schemas.hmtreasury.gov.uk/ofsi/consolidatedlist">
  <FinancialSanctionsTarget><Name6>EXAMPLE</Name6><name1>Jane</name1><RegimeName>Russia</RegimeName>
  <OtherInformation>${evm}</OtherInformation><UKSanctionsListRef>RUS9001</UKSanctionsListRef><GroupID>77</GroupID>
  </FinancialSanctionsTarget></ArrayOfFinancialSanctionsTarget>`;

const ukDesignations = `<Designations><DateGenerated>01/11/2026</DateGenerated>
  <Designation><UniqueID>RUS9001</UniqueID><Names>
    <Name><Name6>OTHER</Name6><NameType>Alias</NameType></Name>
    <Name><Name1>Jane</Name1><Name6>EXAMPLE</Name6><NameType>Primary Name</NameType></Name></Names>
  <RegimeName>Russia</RegimeName><OtherInformation>${evm}</OtherInformation></Designation></Designations>`;

async function* bytesOf(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, size = 50) => readSanctions(bytesOf(text, size));
const label = (chainUid: string | null, address: string, name: string | null, note: string | null) => ({
  chainUid,
  address,
  name,
  tags: ['SANCTION'],
  score: 100,
  note,
});
const account = evm.toLowerCase();

describe('readSanctions', () => {
  it.each([
    [
      'OFAC SDN (XML)',
      sdn,
      [
        label('bitcoin', bitcoin, 'Jane EXAMPLE', 'entry 90001; CYBER2, DPRK3; XBT'),
        label(null, account, 'Jane EXAMPLE', 'entry 90001; CYBER2, DPRK3; ETH'),
        label('tron', tron, 'Jane EXAMPLE', 'entry 90001; CYBER2, DPRK3; USDT'),
      ],
    ],
    ['OFAC SDN (advanced XML)', advanced, [label(null, account, 'EXAMPLE Jane', 'entry 90001; ETH')]],
    [
      'OFAC SDN (enhanced XML)',
      enhanced,
      [label(null, account, 'EXAMPLE, Jane', 'entry 90001; CYBER2; ETH')],
    ],
    [
      'OFAC SDN (CSV)',
      sdnCsv,
      [
        label('bitcoin', bitcoin, 'EXAMPLE, Jane', 'entry 90001; CYBER2, DPRK3; XBT'),
        label(null, account, 'EXAMPLE, Jane', 'entry 90001; CYBER2, DPRK3; ETH'),
      ],
    ],
    [
      'EU consolidated list (XML)',
      eu,
      [
        label(null, account, 'Example Exchange', 'entry EU.9000.1; UKR'),
        label('bitcoin', segwit, 'Example Exchange', 'entry EU.9000.1; UKR'),
        label('tron', tron, 'Example Exchange', 'entry EU.9000.1; UKR'),
      ],
    ],
    ['EU consolidated list (CSV)', euCsv, [label(null, account, 'Example Exchange', 'entry EU.9000.1; UKR')]],
    ['UK sanctions list (CSV)', ukCsv, [label(null, account, 'Jane EXAMPLE', 'entry RUS9001; Russia')]],
    ['UK sanctions list (CSV)', ukConList, [label(null, account, 'Jane EXAMPLE', 'entry 77; Russia')]],
    [
      'UK consolidated list (XML)',
      ukTargets,
      [label(null, account, 'Jane EXAMPLE', 'entry RUS9001; Russia')],
    ],
    [
      'UK sanctions list (XML)',
      ukDesignations,
      [label(null, account, 'Jane EXAMPLE', 'entry RUS9001; Russia')],
    ],
    [
      'addresses (text)',
      `# a list\n${evm}\n\n${bitcoin} # known\r\n${evm.toLowerCase()}\n${tron}`,
      [
        label(null, account, null, null),
        label('bitcoin', bitcoin, null, null),
        label('tron', tron, null, null),
      ],
    ],
    [
      'addresses (JSON)',
      JSON.stringify([evm, tron]),
      [label(null, account, null, null), label('tron', tron, null, null)],
    ],
    [
      'addresses (JSON)',
      JSON.stringify({ addresses: [{ address: evm, name: 'Example', currency: 'eth' }] }),
      [label(null, account, 'Example', 'ETH')],
    ],
  ])('reads %s', async (title, text, labels) => {
    const file = await read(text);
    expect(file).toMatchObject({ format: { title }, labels, faultCount: 0 });
  });

  it('counts addresses of chains that Vigil does not watch instead of refusing them', async () => {
    expect([...(await read(sdn)).unsupported]).toEqual([['XMR', 1]]);
  });

  it('names the line and element of a faulty address', async () => {
    const wrong = bitcoin.replace('a', 'b');
    const file = await read(sdn.replace(bitcoin, wrong));
    expect(file.faults).toEqual([expect.stringMatching(new RegExp(`^Line 9, <id>: '${wrong}': .*checksum`))]);
    expect((await read(`${evm}\nnonsense\n`)).faults).toEqual([
      "Line 2: 'nonsense' is not an address of a chain that Vigil knows.",
    ]);
    expect((await read(JSON.stringify([evm, 'x']))).faults).toEqual([expect.stringContaining('Element 1: ')]);
  });

  it.each([
    ['', 'The file is empty; send the whole list.'],
    ['<html><body>Service unavailable</body></html>', '<html> begins none of the lists that Vigil knows'],
    [sdn.slice(0, -40), 'it is not whole.'],
    ['[1]', 'Element 0: is neither an address nor an object with `address`.'],
    ['{"a":1}', 'neither an array of addresses nor an object'],
    ['[', 'The text is not JSON'],
    ['90001,"EXAMPLE"\n', 'Line 1: has 2 columns where the list has 12.'],
  ])('refuses %j with a sentence that helps', async (text, words) => {
    await expect(read(text)).rejects.toThrow(words);
  });

  it.each([
    ['lines', 'zzz\n'.repeat(20_000), 'reading stopped (Line 10001)'],
    ['elements of JSON', JSON.stringify(Array.from({ length: 20_000 }, () => 'x')), '(Element 10000)'],
    [
      'elements of XML',
      sdn.replace(
        '</idList>',
        `${'<id><idType>Digital Currency Address - XBT</idType></id>'.repeat(15_000)}</idList>`,
      ),
      '(Line 13, <id>)',
    ],
  ])('stops after 10,000 faulty %s', async (_what, text, place) => {
    const reading = read(text, 60_000);
    await expect(reading).rejects.toThrow(`More than 10,000 addresses have faults, so reading stopped`);
    await expect(reading).rejects.toThrow(place);
    await expect(reading).rejects.toMatchObject({
      code: 'unprocessable',
      members: { errors: { length: 100 } },
    });
  });

  it('reads what stands within several elements of one name once', async () => {
    const nested = `${'<Feature FeatureTypeID="345">'.repeat(50)}${'<VersionDetail>x</VersionDetail>'.repeat(500)}${'</Feature>'.repeat(50)}`;
    const file = await read(advanced.replace('</Profile>', `${nested}</Profile>`), 60_000);
    expect(file.faultCount).toBe(500);
  });

  it('names a bounded number of programs and currencies', async () => {
    const programs = Array.from({ length: 5000 }, (_, n) => `<program>P${n}</program>`).join('');
    const [first] = (await read(sdn.replace('</programList>', `${programs}</programList>`), 60_000)).labels;
    expect(first!.note).toMatch(/; XBT$/);
    expect(first!.note!.split(', ')).toHaveLength(100);
    const many = Array.from({ length: 2000 }, (_, n) => ({ address: 'x', currency: `C${n}` }));
    await expect(read(JSON.stringify(many))).rejects.toThrow('more than 1000 unknown currencies');
  });

  it('refuses text that is not UTF-8', async () => {
    async function* latin() {
      yield Buffer.from('caf\u00e9', 'latin1');
    }
    await expect(readSanctions(latin())).rejects.toThrow('The file is not UTF-8 text.');
  });
});
