import { anOffer } from '../../respond/check-offered.js'
import type { ApprovableTool, ApprovalDecision, ApprovalPolicy, Offered, RespondOptions } from '../../respond/index.js'
import type { ParsedRequest } from '../../responses/parsed-request.js'
import type { ResponseRequest } from '../../responses/request.js'
import type { Caller } from './caller.js'

/** Whose request it is. */
export interface OwnedRequest {
  readonly request: ResponseRequest
  readonly owner: string
}

export interface OperatorOptions {
  /**
   * What each response has, though its request does not declare it: tools of `tools`, and instructions. A function says it for
   * each request. Default: nothing.
   */
  readonly offered?: Offered | ((request: OwnedRequest) => Offered | undefined | Promise<Offered | undefined>)
  /**
   * Whether the Responses API shows the calls of tools that a request does not declare: `hidden` leaves their items and events
   * out. The conversation goes on with them by `previous_response_id` all the same. Default `shown`.
   */
  readonly offeredCalls?: 'shown' | 'hidden'
  /**
   * Which calls of MCP servers and of the host's functions the user has to approve, whatever a request says. Default: what
   * requests say, and of offered tools none.
   */
  readonly approval?: ApprovalPolicy<OwnedRequest>
}

/**
 * What the operator decides of one response.
 *
 * @throws what a function of the host throws; HarmonyResponsesError `bad_option` if it gives no offer
 */
export async function operatorOptions(
  { offered: given, approval }: OperatorOptions,
  parsed: ParsedRequest,
  { owner, approvals }: Pick<Caller, 'owner' | 'approvals'>,
): Promise<Pick<RespondOptions, 'offered' | 'approval' | 'approvals'>> {
  // The parsed request has fields that `ResponseRequest` leaves open.
  const owned = { request: parsed as unknown as ResponseRequest, owner }
  const offered = typeof given === 'function' ? await given(owned) : given
  if (typeof given === 'function' && offered !== undefined) anOffer(offered, 'offered()')
  const policy =
    typeof approval === 'function'
      ? (tool: ApprovableTool): ApprovalDecision | Promise<ApprovalDecision> => approval(tool, owned)
      : approval
  return {
    ...(offered !== undefined && { offered }),
    ...(policy !== undefined && { approval: policy }),
    ...(approvals !== undefined && { approvals }),
  }
}
