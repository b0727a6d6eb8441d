import { nameOf } from "../facts/file-kinds.ts"
import { type Finding, faultAt } from "../facts/finding.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Finds missing templates, and Flask routes that never return a response, which Flask treats as an error. */
export function checkFlaskRoutes(project: Project): Finding[] {
  const names = new Set([...project.files.keys()].map(nameOf))
  return faultsOf(project, "python", (path, { flask }) =>
    isTest(path)
      ? []
      : [
          ...flask.silent.map(({ name, line }) =>
            faultAt(line, "missing_return", `the route "${name}" returns nothing, but Flask needs a response from it.`),
          ),
          ...flask.templates
            .filter(({ name }) => !names.has(nameOf(name)))
            .map(({ name, line }) => faultAt(line, "missing_file", `there is no template "${name}" in the project.`)),
        ],
  )
}

/** Returns true for tests, because they may contain broken routes on purpose. */
function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?\/|test_|conftest\.)/.test(path)
}
