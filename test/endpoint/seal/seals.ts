import fc from 'fast-check'
import type { RequestedCall } from '../../../src/core/options/options.js'
import {
  createSeal,
  type ResponseSeal,
  type Seal,
  type SealedKind,
  type Unsealed,
} from '../../../src/endpoint/seal/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import type { RequestError } from '../../../src/shared/request-error.js'

/** Bytes that repeat one value. */
export const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

export const NONCE = 'AAECAwQFBgcICQoLDA0ODw'
export const CALL: RequestedCall = { serverLabel: 'github', name: 'search', arguments: '{"q":"x"}' }

/** One key, and a response of `alice`. */
export const seal: Seal = createSeal([{ id: 'k1', key: keyOf(1) }])
export const ofAlice: ResponseSeal = seal.forResponse({ caller: 'alice', nonce: NONCE })

/** One of each kind, with its content. */
export const SEALED: Readonly<Record<SealedKind, { readonly blob: string; readonly content: Unsealed }>> = {
  reasoning: {
    blob: ofAlice.seal('Hm.', 'rs_1'),
    content: { kind: 'reasoning', itemId: 'rs_1', text: 'Hm.' },
  },
  approval: {
    blob: ofAlice.sealApproval(CALL, 'mcpr_1'),
    content: { kind: 'approval', itemId: 'mcpr_1', ...CALL },
  },
  compaction: {
    blob: ofAlice.sealCompaction('So far: nothing.', 'cmp_1'),
    content: { kind: 'compaction', itemId: 'cmp_1', text: 'So far: nothing.' },
  },
  call: {
    blob: ofAlice.sealCall('[{"type":"mcp_call"}]', 'mcp_1'),
    content: { kind: 'call', itemId: 'mcp_1', text: '[{"type":"mcp_call"}]' },
  },
}
export const KINDS = Object.keys(SEALED) as SealedKind[]

/** Any string: of the alphabet of what is sealed, of all of Unicode, with lone surrogates. */
export const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string(),
    fc.string({ unit: codePoint }),
    fc.string({ unit: fc.constantFrom('\ud800', '\udfff', '"', '\\', '\0', '\ufeff', 'é', '🫠', '<|end|>') }),
  )

/** Seals any content. */
export function sealWith(response: ResponseSeal, content: Unsealed): string {
  if (content.kind === 'reasoning') return response.seal(content.text, content.itemId)
  if (content.kind === 'compaction') return response.sealCompaction(content.text, content.itemId)
  if (content.kind === 'call') return response.sealCall(content.text, content.itemId)
  return response.sealApproval(content, content.itemId)
}

export const anyContent = (): fc.Arbitrary<Unsealed> => {
  const itemId = fc.string({ minLength: 1 })
  return fc.oneof(
    fc.record({ kind: fc.constant('reasoning' as const), itemId, text: anyText() }),
    fc.record({ kind: fc.constant('compaction' as const), itemId, text: anyText() }),
    fc.record({ kind: fc.constant('call' as const), itemId, text: anyText() }),
    fc.record({
      kind: fc.constant('approval' as const),
      itemId,
      serverLabel: anyText(),
      name: anyText(),
      arguments: anyText(),
    }),
  )
}

/** The only error for content that does not open. */
export const refused = (param: string | null = null): Partial<RequestError> => ({
  name: 'RequestError',
  status: 400,
  type: 'invalid_request_error',
  code: 'invalid_encrypted_content',
  param,
  message: `The encrypted content${param === null ? '' : ` of '${param}'`} could not be verified.`,
})
