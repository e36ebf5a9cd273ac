import * as z from 'zod'
import { withoutEval } from '../../../../shared/system/without-eval.js'

withoutEval()

/** One of several objects that `type` tells apart. */
export function variant<const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Shape> {
  return z.object({ type: z.literal(type), ...shape })
}
