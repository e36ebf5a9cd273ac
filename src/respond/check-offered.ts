import { check } from '../errors.js'
import type { OptionCheck, OptionTable } from '../options/check-options.js'
import { aText, listOf, oneOf, optionsOf } from '../options/checks.js'
import { HOSTED_BUILTINS } from '../recipients/builtin-tools.js'
import { declareMcpServer } from '../recipients/mcp-server.js'
import { undatedType } from '../recipients/undated-type.js'
import type { Offered } from './offered.js'

// Not known to be a rule: declaring the server is the check.
const aRule: OptionCheck = (rule, path) =>
  // It throws at every rule that is none.
  void declareMcpServer({ type: 'mcp', server_label: 'any', require_approval: rule as never }, `${path}: `)

export const anApprovalPolicy: OptionCheck = (value, path) => {
  check(value !== null, path, "'always', 'never', { always, never } or a function", value)
  if (typeof value !== 'function') aRule(value, path)
}

/** The types of tools that a host can run: others would be offered to no use. */
const OFFERED_TYPES: readonly string[] = ['mcp', ...HOSTED_BUILTINS]

const anOfferedTool: OptionCheck = (tool, path) => {
  const { type, server_label: label } = Object(tool) as Readonly<Record<string, unknown>>
  const isKnown = typeof type === 'string' && OFFERED_TYPES.includes(undatedType(type))
  check(isKnown, path, `a tool of type ${OFFERED_TYPES.join(', ')}`, type ?? tool)
  if (type !== 'mcp') return
  check(typeof label === 'string' && label !== '', `${path}.server_label`, 'a label', label)
  // Not known to be one of the types: this checks the rest of it.
  declareMcpServer(tool as never, `${path}.`)
}

const OFFERED: OptionTable<Offered> = {
  tools: listOf(anOfferedTool, 'an array of tools'),
  instructions: aText,
  onClash: oneOf('refuse', 'client'),
  allowedTools: oneOf('narrow', 'ignore'),
}

export const anOffer: OptionCheck = optionsOf(OFFERED)
