export interface SchemaCase {
  readonly schema: { readonly [keyword: string]: unknown }
  readonly value: unknown
}

export declare function schemaCases(count: number, seed: number): SchemaCase[]
