import { expect, test } from 'vitest'
import { ITEMS } from '../../../src/endpoint/request/schemas/input.js'
import { TOOLS } from '../../../src/endpoint/request/schemas/tools.js'
import { expectGenerated } from '../../docs/generated.js'
import { errorOf } from './errors.js'
import { requiredOf, tables } from './tables.js'

test.each(Object.entries(tables()))('docs/request.md has the table of %s as the code has it', (name, table) => {
  expectGenerated('docs/request.md', name, table)
})

test.each([
  ...Object.entries(ITEMS).map(([type, schema]) => ({ type, schema, path: 'input[0]' })),
  ...Object.entries(TOOLS).map(([type, schema]) => ({ type, schema, path: 'tools[0]' })),
])('$path of the type $type is refused without what it has to have', ({ type, schema, path }) => {
  const [first] = requiredOf(schema).filter((field) => field !== 'type')
  const [name = ''] = path.split('[')
  if (first === undefined) return
  expect(errorOf({ input: 'hi', [name]: [{ type }] })).toMatchObject({
    param: `${path}.${first}`,
    code: 'missing_required_parameter',
  })
})
