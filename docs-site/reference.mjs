// The reference: a page for each subpath of the package, from the types and docstrings of its source.

import { Application, CommentTag, Converter, ReflectionKind, TSConfigReader } from 'typedoc'
import { MarkdownPageEvent, ModuleRouter } from 'typedoc-plugin-markdown'
import { LISTED, PAGES } from './files.mjs'
import { mirroredBy } from './mirrors.mjs'
import { manifest, root, subpaths } from './package-root.mjs'

/** Types that signatures name and that no user writes: all others are exported. Their names stay text. */
const INTERNAL = [
  // Derived from the descriptors of the built-in tools: the docstrings say what they come to.
  ...['AllOf', 'BuiltinCallee', 'CallOf', 'Descriptors', 'HostedItemType'],
  // What the schemas of the judge accept: `z.infer<typeof responseSchema>`.
  ...['WireOutputItem', 'WireResponse', 'WireStreamEvent'],
]

const TYPES = ReflectionKind.Interface | ReflectionKind.TypeAlias

/** The format in which typedoc and its plug-in write the pages. */
const FORMAT = {
  router: 'pages',
  entryFileName: 'index',
  groupOrder: ['Functions', 'Classes', 'Variables', 'Types', 'References'],
  sort: ['alphabetical'],
  // Where the repository is hosted is known at a release, if at all.
  disableSources: true,
  pageTitleTemplates: { index: 'API reference', module: '{name}', member: '{name}' },
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  classPropertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  expandObjects: true,
  tableColumnSettings: { hideDefaults: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
}

/**
 * Gives what stands on a page its own name as an anchor: `sourcePlan` is a function and `SourcePlan` a type, which the anchors
 * of headings do not tell apart. Members have their owner's name, too: `Translator-snapshot`.
 */
class Router extends ModuleRouter {
  getSlugger() {
    return { slug: (name) => name.replaceAll('.', '-') }
  }

  buildAnchors(target, page) {
    // It is called again for members, with their owner as the page.
    if (page.kindOf(ReflectionKind.Module)) super.buildAnchors(target, page)
  }

  // A type is no page: `Trace` of `harmony-responses` would take the place of `harmony-responses/trace`.
  shouldWritePage(reflection) {
    return reflection.kindOf(ReflectionKind.SomeModule)
  }
}

/** Gives the headings of exports and of their methods the anchors of {@link Router}. */
function anchored(contents) {
  let owner = ''
  return contents.replace(/^(?:###|#####(?= (?:\w+\(\)\??|[a-z]\w*)$)) ([\w\\]+).*$/gm, (heading, escaped) => {
    const name = escaped.replaceAll('\\', '')
    if (heading.startsWith('#####')) return `${heading} {#${owner}-${name}}`
    owner = name
    return `${heading} {#${name}}`
  })
}

/** Writes the pages below a folder. Throws if a docstring links to nothing. */
export async function writeReference(out) {
  const app = await Application.bootstrapWithPlugins(
    {
      ...FORMAT,
      out,
      name: manifest.name,
      entryPoints: subpaths.map(({ source }) => source),
      tsconfig: `${root}tsconfig.build.json`,
      plugin: ['typedoc-plugin-markdown'],
      readme: 'none',
      logLevel: 'Warn',
      excludeExternals: true,
      excludeInternal: true,
      excludePrivate: true,
      // `npm run typecheck` does it.
      skipErrorChecking: true,
      intentionallyNotExported: INTERNAL,
      // test/docs/reference.test.ts demands the docstrings.
      validation: { notExported: true, invalidLink: true, notDocumented: false },
    },
    [new TSConfigReader()],
  )
  app.renderer.defineRouter('pages', Router)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const { source, specifier } of subpaths) moduleOf(project, source).name = specifier
    for (const type of project.getReflectionsByKind(TYPES)) {
      if (type.comment === undefined) continue
      type.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: 'Types' }]))
      const path = project.getSymbolIdFromReflection(type)?.fileName.slice(root.length) ?? ''
      const mirrored = mirroredBy(path, type.name)
      if (mirrored !== undefined) type.comment.summary.push({ kind: 'text', text: `\n\nAs in ${mirrored}.` })
    }
  })
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    // What a type extends says something if it is a link; all fields are in the table below it.
    const contents = page.contents.replace(/^#### Extends\n\n(?:- (?!.*\]\().*\n)+\n/gm, '')
    page.contents = anchored(contents).replace(/\bdocs\/[\w-]+\.md\b/g, linkTo)
  })
  const project = await app.convert()
  if (project !== undefined) {
    app.validate(project)
    await app.generateOutputs(project)
  }
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('the reference has errors: see above')
}

function moduleOf(project, source) {
  const found = project.children.find((each) => project.getSymbolIdFromReflection(each)?.fileName === source)
  if (found === undefined) throw new Error(`typedoc has no module of ${source}`)
  return found
}

const titles = new Map(LISTED.flatMap(({ pages }) => pages).map(({ file, title }) => [file, title]))

/** A page that a docstring names, as a link. */
function linkTo(file) {
  if (!titles.has(file)) throw new Error(`a docstring names ${file}, which docs/README.md does not list`)
  return `[${titles.get(file)}](/${PAGES[file]})`
}
