import { nameOf } from "../facts/file-kinds.ts"
import { type Finding, faultAt } from "../facts/finding.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Routes of Flask that return nothing, which it answers with an error, and templates that they name and nobody wrote. */
export function checkFlaskRoutes(project: Project): Finding[] {
  const names = new Set([...project.files.keys()].map(nameOf))
  return faultsOf(project, "python", (path, { flask }) =>
    isTest(path)
      ? []
      : [
          ...flask.silent.map(({ name, line }) =>
            faultAt(line, "missing_return", `the route "${name}" returns nothing: Flask needs an answer from it.`),
          ),
          ...flask.templates
            .filter(({ name }) => !names.has(nameOf(name)))
            .map(({ name, line }) => faultAt(line, "missing_file", `there is no template "${name}" in the project.`)),
        ],
  )
}

/** Tests also try what happens where a route is wrong. */
function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?\/|test_|conftest\.)/.test(path)
}
