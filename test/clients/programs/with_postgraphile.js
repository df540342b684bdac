// PostGraphile: a GraphQL schema from introspection; mutations by key and by node, relations, connections in pages.
// The arguments are its major version and the schema.
'use strict';
process.env.GRAPHILE_ENV = 'production';
const { createRequire } = require('node:module');
const readline = require('node:readline');

const [version, namespace] = process.argv.slice(2);
const load = createRequire(`${process.env.POSTGRAPHILE}/${version}/`);
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const uuid = (n) => `50474c0${version}-0000-0000-0000-${String(n).padStart(12, '0')}`;

/** What executes queries, which are written with the names of version 4. */
async function version4() {
    const { createPostGraphileSchema, withPostGraphileContext } = load('postgraphile');
    const { graphql } = load('graphql');
    const { Pool } = load('pg');
    const pgPool = new Pool({ options: '-c timezone=UTC' });
    const schema = await createPostGraphileSchema(pgPool, namespace, { dynamicJson: true });
    return (source, variables) => withPostGraphileContext({ pgPool }, (context) => graphql(schema, source, null, context, variables));
}

async function version5() {
    const { makeSchema } = load('postgraphile');
    const { PostGraphileAmberPreset } = load('postgraphile/presets/amber');
    const { makePgService } = load('postgraphile/adaptors/pg');
    const { grafast } = load('postgraphile/grafast');
    const service = makePgService({ connectionString: 'postgres:///?options=-c%20timezone%3DUTC', schemas: [namespace] });
    const { schema, resolvedPreset } = await makeSchema({ extends: [PostGraphileAmberPreset], pgServices: [service] });
    const renamed = (text) => text.replace(/\bid\b/g, 'rowId').replace(/ById\b/g, 'ByRowId').replace(/\bID_/g, 'ROW_ID_').replace(/\bnodeId\b/g, 'id');
    return (source, variableValues) => grafast({ schema, resolvedPreset, requestContext: {}, source: renamed(source),
        variableValues: JSON.parse(JSON.stringify(variableValues).replace(/"id":/g, '"rowId":')) });
}

async function main() {
    const execute = await (version === '4' ? version4 : version5)();

    /** The result of a query, which is reported as a step; where it fails, the SQLSTATE. */
    async function run(step, source, variables = {}) {
        const { data, errors = [] } = await execute(source, variables);
        const row = [data, ...errors.map((error) => error.originalError?.code ?? error.message)];
        console.log(JSON.stringify({ step, rows: [row], keyed: step !== 'all' }));
        await input.next();
        return data;
    }

    const account = (n) => ({ id: uuid(n), name: `Ünï ${n}`, email: `pg${n % 2}@v${version}.org`, version: n, labels: n % 2 ? ['x', `l${n}`] : null,
        profile: { level: n, tags: ['a', n] }, since: '2026-03-01T12:30:00Z' });
    const create = 'mutation ($account: AccountInput!) { createAccount(input: { account: $account }) { account { id name email labels profile since version } } }';
    for (let n = 1; n <= 4; n++)
        await run(`create, ${n}`, create, { account: account(n) });
    await run('create many in one request', `mutation { ${[5, 6, 7].map((n) =>
        `m${n}: createAccount(input: { account: { id: "${uuid(n)}", version: ${n} } }) { clientMutationId }`).join(' ')} }`);
    await run('create, a key that is taken', create, { account: account(1) });
    for (let n = 0; n < 12; n += 4)
        await run(`create what they own, ${n}`, `mutation { ${[0, 1, 2, 3].map((m) =>
            `p${m}: createPurchase(input: { purchase: { accountId: "${uuid(1 + (n + m) % 3)}", no: ${n + m}, total: "${n + m}.50", status: ${m % 2 ? '"open"' : null} } })
            { purchase { no status total accountByAccountId { name } } }`).join(' ')} }`);

    const one = 'query ($key: UUID!) { accountById(id: $key) { nodeId name profile labels } }';
    const found = Object.values(await run('one by its key', one, { key: uuid(1) }))[0];
    const node = found.nodeId ?? found.id;
    await run('none', one, { key: uuid(99) });
    await run('one by its node', 'query ($node: ID!) { account(nodeId: $node) { name } node(nodeId: $node) { ... on Account { email } } }', { node });
    await run('one by a composite key', 'query ($key: UUID!) { purchaseByAccountIdAndNo(accountId: $key, no: 3) { total accountByAccountId { name } } }', { key: uuid(1) });
    await run('several by keys', `{ ${[1, 2, 3].map((n) => `a${n}: accountById(id: "${uuid(n)}") { name }`).join(' ')} }`);

    const some = `allAccounts(condition: { email: "pg1@v${version}.org" }, orderBy: ID_ASC)`;
    await run('by an index, with what they own', `{ ${some} { nodes { name purchasesByAccountId { totalCount nodes { no total } } } } }`);
    await run('a page of each', `{ ${some} { nodes { name purchasesByAccountId(first: 2, orderBy: NO_DESC)
        { pageInfo { hasNextPage endCursor } edges { cursor node { no accountByAccountId { email } } } } } } }`);
    await run('with their owners', 'query ($key: UUID!) { allPurchases(condition: { accountId: $key }) { nodes { no accountByAccountId { name } } } }', { key: uuid(1) });
    const page = `query ($key: UUID!, $after: Cursor) { allPurchases(condition: { accountId: $key }, first: 2, after: $after, orderBy: NO_DESC)
        { totalCount pageInfo { hasNextPage endCursor } nodes { no } } }`;
    let after = null;
    for (let n = 1; n <= 2; n++)
        after = (await run(`page ${n}`, page, { key: uuid(2), after })).allPurchases.pageInfo.endCursor;

    await run('update by key', `mutation ($key: UUID!) { updateAccountById(input: { id: $key, accountPatch: { name: "changed", labels: ["new"], street: "1 Main St" } })
        { account { name email labels street version } } }`, { key: uuid(2) });
    await run('update by node', `mutation ($node: ID!) { updateAccount(input: { nodeId: $node, accountPatch: { email: null, profile: null } })
        { account { name email profile } } }`, { node });
    await run('update by a composite key', `mutation ($key: UUID!) { updatePurchaseByAccountIdAndNo(input: { accountId: $key, no: 4, purchasePatch: { status: "paid", note: "n" } })
        { purchase { status note total accountByAccountId { name } } } }`, { key: uuid(2) });
    await run('update none', 'mutation ($key: UUID!) { updateAccountById(input: { id: $key, accountPatch: { name: "x" } }) { account { name } } }', { key: uuid(99) });
    for (const step of ['delete by key', 'delete none'])
        await run(step, 'mutation ($key: UUID!) { deletePurchaseByAccountIdAndNo(input: { accountId: $key, no: 5 }) { purchase { total } deletedPurchaseId } }', { key: uuid(3) });
    await run('delete by node', 'mutation ($node: ID!) { deleteAccount(input: { nodeId: $node }) { account { name } } }',
        { node: Buffer.from(Buffer.from(node, 'base64').toString().replace(uuid(1), uuid(4))).toString('base64') });
    await run('all', '{ allAccounts { nodes { id name email street labels profile since version } } allPurchases { totalCount nodes { accountId no status total note } } }');
    process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
