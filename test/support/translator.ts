import { FULL_CATALOG } from '../../src/translate/full-catalog.js'
import type { TranslatorOptions } from '../../src/translate/options/options.js'
import { Translator as AnyTranslator, withHostItems } from '../../src/translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from '../../src/translate/translator-snapshot.js'

const CATALOG = withHostItems(FULL_CATALOG)

/** The translator below its defaults, with everything: nothing in it is random or asks for the time. */
export class Translator extends AnyTranslator {
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    super(options, CATALOG, snapshot)
  }

  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions): Translator {
    return new Translator(options, checkSnapshot(snapshot, options, CATALOG))
  }
}
