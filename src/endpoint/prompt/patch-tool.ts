import { APPLY_PATCH } from '../../core/recipients/apply-patch.js'
import type { TaughtTool } from './tool-namespace.js'

/** The interface of gpt-oss's own tool, limited to one file: an item of the API changes one. */
export const PATCH_TOOL: TaughtTool = {
  name: APPLY_PATCH,
  description: [
    'Changes one file. For several files, call it once for each. For example:',
    '*** Begin Patch',
    '*** Update File: src/app.py',
    '@@ def greet():',
    '-    print("Hi")',
    '+    print("Hello")',
    '*** End Patch',
    'A new file begins with `*** Add File: PATH`, and each of its lines with +. `*** Delete File: PATH` removes a file.',
  ].join('\n'),
  parameters: 'text',
}
