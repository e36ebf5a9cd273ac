/*
 * The parts of Standard Schema and Standard JSON Schema (standardschema.dev, version 1) that are used here. Zod,
 * Valibot, ArkType and others implement them.
 */

/** A schema that can validate a value. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** A schema that can also describe its input as JSON Schema, like Zod's. */
export interface StandardSchemaWithJson<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}

/** The result of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** Why a value does not match a schema, and where in the value. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The output of a schema after validation. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']
