import type { AllowedCallers } from '../wire-fields.js'

/** Patches that the client applies to its own files. */
export interface ApplyPatchTool {
  readonly type: 'apply_patch'
  readonly allowed_callers?: AllowedCallers | null
}

/** A change of one file. The diff has the V4A format: for a new file, all its lines, each after a `+`. */
export type PatchOperation =
  | { type: 'create_file' | 'update_file'; path: string; diff: string }
  | { type: 'delete_file'; path: string }

/** A patch that the client is to apply, as an output item. It is added once the patch is complete. */
export interface ApplyPatchCallItem {
  type: 'apply_patch_call'
  id: string
  /** `in_progress` if it was cut off. */
  status: 'in_progress' | 'completed'
  call_id: string
  operation: PatchOperation
}

/** The wire form of `apply_patch`. The client sends its result. */
export interface ApplyPatchWire {
  tool: ApplyPatchTool
  item: ApplyPatchCallItem
  event: never
  result: object
}

declare module './wires.js' {
  interface BuiltinWires {
    apply_patch: ApplyPatchWire
  }
}
