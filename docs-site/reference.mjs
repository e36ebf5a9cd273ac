// The reference: a page for each subpath of the package, from the types and docstrings of its source.

import { Application, Comment, CommentTag, Converter, ReflectionKind, TSConfigReader } from 'typedoc'
import { ModuleRouter } from 'typedoc-plugin-markdown'
import { manifest, root, subpaths } from './package-root.mjs'

const TYPES = ReflectionKind.Interface | ReflectionKind.TypeAlias

/**
 * Members get the anchors of their headings. The plug-in's router first takes `translatorsnapshot` for `Translator.snapshot`,
 * too, so that the links to the type `TranslatorSnapshot` led to a heading that is not there.
 */
class Router extends ModuleRouter {
  buildAnchors(target, page) {
    const isMember = target.parent !== page && target.kindOf(ReflectionKind.SomeMember & ~ReflectionKind.SomeExport)
    if (!isMember || !page.kindOf(ReflectionKind.Module)) super.buildAnchors(target, page)
  }
}

/** Writes the pages below a folder. Throws if something in the docstrings links to nothing. */
export async function writeReference(out) {
  const titles = new Map(subpaths.map(({ page, specifier }) => [page, specifier]))
  const app = await Application.bootstrapWithPlugins(
    {
      entryPoints: subpaths.map(({ source }) => source),
      tsconfig: `${root}tsconfig.build.json`,
      plugin: ['typedoc-plugin-markdown'],
      out,
      name: manifest.name,
      readme: 'none',
      router: 'pages',
      excludeExternals: true,
      entryFileName: 'index',
      // `npm run typecheck` does it.
      skipErrorChecking: true,
      // Where the repository is hosted is known at a release, if at all.
      disableSources: true,
      excludeInternal: true,
      excludePrivate: true,
      groupOrder: ['Functions', 'Classes', 'Variables', 'Types', 'References'],
      pageTitleTemplates: { index: 'API reference', module: ({ name }) => titles.get(name), member: '{name}' },
      hideBreadcrumbs: true,
      hidePageHeader: true,
      useCodeBlocks: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeAliasPropertiesFormat: 'table',
      propertyMembersFormat: 'table',
      // Names of the inside stay text in a signature; a link in a docstring that leads nowhere is an error.
      validation: { notExported: false, invalidLink: true, notDocumented: false },
      treatWarningsAsErrors: false,
    },
    [new TSConfigReader()],
  )
  app.renderer.defineRouter('pages', Router)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const { source, page } of subpaths) moduleOf(project, source).name = page
    for (const type of project.getReflectionsByKind(TYPES)) {
      type.comment ??= new Comment()
      type.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: 'Types' }]))
    }
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('typedoc found errors: see above')
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error('typedoc found errors: see above')
}

function moduleOf(project, source) {
  const found = project.children.find((each) => project.getSymbolIdFromReflection(each)?.fileName === source)
  if (found === undefined) throw new Error(`typedoc has no module of ${source}`)
  return found
}
