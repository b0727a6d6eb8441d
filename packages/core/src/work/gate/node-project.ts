import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"
import type { Check, ProjectFiles } from "./check.ts"

const Manifest = z.object({
  scripts: z.record(z.string(), z.string()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
  engines: z.object({ node: z.string() }).partial().catch({}),
})

/**
 * Returns the fields of a project's package.json that checks depend on. Undefined if there is no valid package.json.
 */
export function readManifest(project: Pick<ProjectFiles, "text">): z.infer<typeof Manifest> | undefined {
  return Manifest.safeParse(parseJson(project.text("package.json") ?? "")).data
}

/**
 * Returns the oldest Node version that a project supports, such as `24` or `20.11.0`. Undefined if the project doesn't
 * declare it as a simple `>=` range.
 */
export function oldestNode(project: ProjectFiles): string | undefined {
  const manifest = readManifest(project)
  return /^>=\s*v?(\d+(?:\.\d+){0,2})$/.exec(manifest?.engines.node?.trim() ?? "")?.[1]
}

/** Returns true if `version` is equal to or later than `other`. */
export function isAtLeast(version: string, other: string): boolean {
  const [parts, least] = [version, other].map((text) => text.replace(/^v/, "").split(".").map(Number))
  for (const index of [0, 1, 2]) {
    const difference = (parts?.[index] ?? 0) - (least?.[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** Test script written by `npm init` for projects without tests. */
const NO_TESTS = /no test specified/

/** Returns the checks that a package.json declares. */
export function nodeChecks(project: ProjectFiles): Check[] {
  const manifest = readManifest(project)
  if (!manifest) return []
  const { scripts, dependencies, devDependencies } = manifest
  const packages = Object.keys({ ...dependencies, ...devDependencies }).length
  const { program, install } = packageManagerOf(project)
  const checks: Check[] = []
  if (packages > 0) checks.push({ name: "install", command: install, program, network: true })
  const run = program === "npm" ? "npm run" : program
  if (scripts.build) checks.push({ name: "build", command: `${run} build`, program })
  if (scripts.lint && !doesNothing(scripts.lint)) checks.push({ name: "lint", command: `${run} lint`, program })
  if (scripts.test && !NO_TESTS.test(scripts.test) && !doesNothing(scripts.test))
    checks.push({ name: "test", command: `${program} test`, program })
  if (scripts.start) checks.push({ name: "start", command: `${program} start`, program })
  return checks
}

/** Returns true if a command can't fail, regardless of the project. */
function doesNothing(script: string): boolean {
  return script
    .split(/&&|\|\||[;|&\n]/)
    .every((part) => /^\s*(?:(?:true|:|echo\b.*|printf\b.*|exit(?:\s+0)?)\s*)?$/.test(part))
}

/**
 * Returns the package manager indicated by a project's lockfile, or npm if there is no lockfile, with its install
 * command.
 */
export function packageManagerOf(project: ProjectFiles): { program: string; install: string } {
  if (project.has("pnpm-lock.yaml")) {
    return { program: "pnpm", install: "pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile" }
  }
  const verb = project.has("package-lock.json") ? "ci" : "install"
  // `--git` overrides the project's .npmrc, which could otherwise make npm run any program as git.
  return { program: "npm", install: `npm ${verb} --ignore-scripts --git=git --no-audit --no-fund` }
}

const Lock = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().catch(false) }).partial()).catch({}),
})

/** Returns the packages that have install scripts according to npm's lockfile. Checks don't run these scripts. */
export function withInstallScripts(project: Pick<ProjectFiles, "text">): string[] {
  const lock = Lock.safeParse(parseJson(project.text("package-lock.json") ?? "")).data
  return Object.entries(lock?.packages ?? {})
    .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length))
}
