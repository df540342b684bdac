// node-postgres: parameters as text, named statements, dates, arrays, json; rows as arrays.
'use strict';
const readline = require('node:readline');
const { Client, types } = require(process.env.NODE_PG + '/node_modules/pg');

const schema = process.argv[2];
types.setTypeParser(types.builtins.NUMERIC, (text) => 'numeric ' + text);
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function report(step, rows, keyed) {
    const sorted = rows.map((row) => JSON.stringify(row)).sort().map((row) => JSON.parse(row));
    console.log(JSON.stringify({ step, rows: sorted, keyed }));
    await input.next();
}

async function main() {
    const client = new Client({ options: `-c search_path=${schema} -c timezone=UTC` });
    await client.connect();
    const rows = async (query) => (await client.query({ rowMode: 'array', ...query })).rows;

    await report('of a key', await rows({ text: 'SELECT * FROM orders WHERE customer_id = $1', values: ['c16'] }), true);
    await report('since a Date', await rows({ text: 'SELECT ordered_at, tags, details FROM orders WHERE customer_id = $1 AND ordered_at > $2',
        values: ['c16', new Date('2026-01-20T00:00:00Z')] }), true);
    for (let n = 0; n < 7; n++)
        await report(`a named statement, ${n + 1}`, await rows({ name: 'mine', text: 'SELECT name FROM customers WHERE customer_id = $1', values: [`c1${n}`] }), true);
    await report('a list', await rows({ text: 'SELECT name FROM customers WHERE customer_id = ANY($1)', values: [['c01', 'c20', 'none']] }), true);
    await report('an optional condition', await rows({ text: 'SELECT quantity FROM orders WHERE customer_id = $1 AND ($2::text IS NULL OR region = $2)', values: ['c16', null] }), true);
    await report('json', await rows({ text: "SELECT details->'lines'->0->>'sku' FROM orders WHERE customer_id = $1 AND details->>'gift' = 'true'", values: ['c16'] }), true);
    await client.end();
    process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
