import { HOSTED_BUILTINS } from '../../core/recipients/builtin-tools.js'
import { declareMcpServer } from '../../core/recipients/mcp-server.js'
import { undatedType } from '../../core/recipients/undated-type.js'
import type { McpTool } from '../../core/responses/request-tools.js'
import { check } from '../../shared/errors.js'
import type { OptionCheck, OptionTable } from '../../shared/options/check-options.js'
import { aText, listOf, oneOf, optionsOf } from '../../shared/options/checks.js'
import type { OperatorOffer } from './offered.js'

// Validated by declaring a server with the rule.
const aRule: OptionCheck = (rule, path) =>
  // Throws for an invalid rule.
  void declareMcpServer({ type: 'mcp', server_label: 'any', require_approval: rule } as McpTool, `${path}: `)

export const anApprovalPolicy: OptionCheck = (value, path) => {
  check(value !== null, path, "'always', 'never', { always, never } or a function", value)
  if (typeof value !== 'function') aRule(value, path)
}

/** The types of tools that a host can run: offering others would be useless. */
const OFFERED_TYPES: readonly string[] = ['mcp', ...HOSTED_BUILTINS]

const anOfferedTool: OptionCheck = (tool, path) => {
  const { type, server_label: label } = Object(tool) as Readonly<Record<string, unknown>>
  const isKnown = typeof type === 'string' && OFFERED_TYPES.includes(undatedType(type))
  check(isKnown, path, `a tool of type ${OFFERED_TYPES.join(', ')}`, type ?? tool)
  if (type !== 'mcp') return
  check(typeof label === 'string' && label !== '', `${path}.server_label`, 'a label', label)
  // Its type is unchecked until this call validates it.
  declareMcpServer(tool as McpTool, `${path}.`)
}

const OFFERED: OptionTable<OperatorOffer> = {
  tools: listOf(anOfferedTool, 'an array of tools'),
  instructions: aText,
  effort: oneOf('low', 'medium', 'high'),
  onClash: oneOf('refuse', 'client'),
  allowedTools: oneOf('narrow', 'ignore'),
}

export const anOffer: OptionCheck = optionsOf(OFFERED)
