import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { anOffer } from '../../respond/check-offered.js'
import type {
  ApprovableTool,
  ApprovalDecision,
  ApprovalPolicy,
  OperatorOffer,
  RespondOptions,
} from '../../respond/index.js'
import type { Caller } from './caller.js'

/** A request with its owner. */
export interface OwnedRequest {
  /** The request, as it was parsed. */
  readonly request: ResponseRequest
  /** The owner, as `authorize` returned it. */
  readonly owner: string
}

/** What the operator of an endpoint adds to requests, and requires of them. */
export interface OperatorOptions {
  /**
   * Tools of `tools` and instructions that each response gets in addition to those of its request. A function decides
   * for each request. Default: nothing.
   */
  readonly offered?:
    | OperatorOffer
    | ((request: OwnedRequest) => OperatorOffer | undefined | Promise<OperatorOffer | undefined>)
  /**
   * Whether the Responses API shows the calls of tools that a request does not declare: `hidden` omits their items and
   * events. `previous_response_id` still continues with them. Default `shown`.
   */
  readonly offeredCalls?: 'shown' | 'hidden'
  /**
   * Which calls of MCP servers and of the host's functions need the user's approval, whatever a request says. Default:
   * as requested, and none of offered tools.
   */
  readonly approval?: ApprovalPolicy<OwnedRequest>
}

/**
 * Returns the operator's decisions on one response.
 *
 * @throws the error of a host's function; HarmonyResponsesError `bad_option` if it returns an invalid offer
 */
export async function operatorOptions(
  { offered: given, approval }: OperatorOptions,
  parsed: ParsedRequest,
  { owner, approvals }: Pick<Caller, 'owner' | 'approvals'>,
): Promise<Pick<RespondOptions, 'offered' | 'approval' | 'approvals'>> {
  // The parsed request has fields that `ResponseRequest` leaves open.
  const owned = { request: parsed as ResponseRequest, owner }
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
