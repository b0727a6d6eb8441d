import type { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { formatCount } from "@switchyard/core/text/format"
import type { ProjectType } from "@switchyard/core/work/gate/schema"
import { DEFAULT_PREVIEW, type PreviewSetting } from "@switchyard/core/work/preview/schema"
import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import type { VerificationChange } from "@switchyard/core/work/verification/settings-schema"
import type { ZodError } from "zod"
import { CHECK_NAMES } from "../../../session/actions/check-commands.ts"

/** A choice that can be left at its default. */
export type Choice = "" | "yes" | "no"

/** The form's fields as typed. Lists have one item per line. */
export const blankRepository = {
  repository: "",
  /** Empty to use the detected type. */
  project_type: "" as ProjectType | "",
  setup: "",
  cleanup: "",
  copy: "",
  link: "node_modules\n.venv\nvenv",
  cache: "",
  ports: "0",
  /** Whether tasks are verified. */
  verify: "" as Choice,
  /** Whether agents may change tests. */
  test_changes: "" as Choice,
  /** Empty for the default, like the next two. */
  attempts: "",
  reviewer: "",
  reviewer_model: "",
  ...{ install: "", build: "", lint: "", test: "", start: "" },
  ...{ install_limit: "", build_limit: "", lint_limit: "", test_limit: "", start_limit: "" },
  port_mode: "auto" as PreviewSetting["port_mode"],
  preview_port: "",
  instructions_paths: "",
  /** Empty for none. */
  preferred_agent: "",
}
export type RepositoryForm = typeof blankRepository

/** Props of a group of the form's fields. */
export interface RepositoryFieldsProps {
  form: RepositoryForm
  faults: Partial<Record<string, string>>
  onChange(change: Partial<RepositoryForm>): void
}

export function toForm(settings: RepositorySettings): RepositoryForm {
  const { repository, setup, cleanup, copy, link, cache, ports, verification } = settings
  const { limits_seconds: limits = {}, project_type = "", ...commands } = settings.checks
  const { port_mode, port } = settings.preview ?? DEFAULT_PREVIEW
  return {
    ...{ repository, project_type, setup, cleanup, ports: String(ports) },
    ...{ copy: copy.join("\n"), link: link.join("\n"), cache: cache.join("\n") },
    verify: toChoice(verification?.verify),
    test_changes: toChoice(verification?.allow_test_changes),
    attempts: String(verification?.verification_attempts ?? ""),
    reviewer: verification?.verification_agent ?? "",
    reviewer_model: verification?.verification_model ?? "",
    ...{ install: "", build: "", lint: "", test: "", start: "", ...commands },
    install_limit: String(limits.install ?? ""),
    build_limit: String(limits.build ?? ""),
    lint_limit: String(limits.lint ?? ""),
    test_limit: String(limits.test ?? ""),
    start_limit: String(limits.start ?? ""),
    ...{ port_mode, preview_port: String(port ?? "") },
    instructions_paths: (settings.instructions_paths ?? []).join("\n"),
    preferred_agent: settings.preferred_coding_agent ?? "",
  }
}

/** Returns the settings to send, unchecked. */
export function fromForm(form: RepositoryForm) {
  return {
    ...{ repository: form.repository, setup: form.setup, cleanup: form.cleanup },
    ...{ copy: items(form.copy), link: items(form.link), cache: items(form.cache) },
    ports: form.ports.trim() === "" ? 0 : Number(form.ports),
    verification: {
      verify: fromChoice(form.verify),
      allow_test_changes: fromChoice(form.test_changes),
      verification_attempts: form.attempts.trim() === "" ? null : Number(form.attempts),
      verification_agent: form.reviewer || null,
      verification_model: form.reviewer_model.trim() || null,
    },
    checks: {
      ...Object.fromEntries(CHECK_NAMES.filter((name) => form[name].trim() !== "").map((name) => [name, form[name]])),
      ...limitsOf(form),
      ...(form.project_type !== "" && { project_type: form.project_type }),
    },
    preview: { port_mode: form.port_mode, port: form.preview_port.trim() === "" ? null : Number(form.preview_port) },
    instructions_paths: items(form.instructions_paths),
    preferred_coding_agent: form.preferred_agent || null,
  }
}

/** Returns a form's errors by field. */
export function repositoryErrors(error: ZodError): Partial<Record<keyof RepositoryForm, string>> {
  const portError = "Enter a port from 1024 to 65535."
  return Object.fromEntries(
    error.issues.map(({ path, message }) => [fieldAt(path), path[0] === "preview" ? portError : message]),
  )
}

function fieldAt([first, second, third]: PropertyKey[]): string {
  if (first === "checks" && second === "limits_seconds") return `${String(third)}_limit`
  if (first === "checks") return String(second)
  if (first === "verification") return second === "verification_attempts" ? "attempts" : "reviewer_model"
  if (first === "preview") return "preview_port"
  return first === "preferred_coding_agent" ? "preferred_agent" : String(first)
}

function limitsOf(form: RepositoryForm) {
  const given = CHECK_NAMES.filter((name) => form[`${name}_limit`].trim() !== "")
  if (given.length === 0) return {}
  return { limits_seconds: Object.fromEntries(given.map((name) => [name, Number(form[`${name}_limit`])])) }
}

function fromChoice(choice: Choice): boolean | null {
  return choice === "" ? null : choice === "yes"
}

function toChoice(setting: boolean | null | undefined): Choice {
  if (setting === null || setting === undefined) return ""
  return setting ? "yes" : "no"
}

function items(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

function reviewedBy({ verification_agent: name, verification_model: model }: VerificationChange): string {
  if (name === NO_REVIEWER) return "not reviewed"
  return model ? `reviewed by ${name} (${model})` : `reviewed by ${name}`
}

/** Summarises a repository's settings in a few words. */
export function factsOf(settings: RepositorySettings): string {
  const { setup, cleanup, copy, link, cache, ports, verification, checks, preview = DEFAULT_PREVIEW } = settings
  const { instructions_paths: documents = [], preferred_coding_agent: agent, container_size: size } = settings
  const facts = [
    checks.project_type && PROJECT_TYPES[checks.project_type],
    agent && `default agent ${agent}`,
    size && `containers of the size ${size}`,
    documents.length > 0 && `reads ${documents.join(", ")} first`,
    verification?.verify && "tasks are verified",
    verification?.allow_test_changes && "test changes allowed",
    verification?.verification_attempts && formatCount(verification.verification_attempts, "attempt"),
    verification?.verification_agent && reviewedBy(verification),
    setup && `setup: ${setup.split("\n")[0]}`,
    cleanup && `cleanup: ${cleanup.split("\n")[0]}`,
    copy.length > 0 && `copies ${copy.join(", ")}`,
    link.length > 0 && `links ${link.join(", ")}`,
    cache.length > 0 && `caches ${cache.join(", ")}`,
    ...CHECK_NAMES.map((name) => checks[name] && `${name}: ${checks[name]}`),
    ...CHECK_NAMES.map((name) => {
      const seconds = checks.limits_seconds?.[name]
      return seconds !== undefined && `${name} time limit ${seconds} s`
    }),
    preview.port_mode === "disabled" && "no preview",
    preview.port_mode === "manual" && `preview on port ${preview.port}`,
    ports > 0 && formatCount(ports, "port"),
  ].filter(Boolean)
  return facts.join(" · ") || "Defaults"
}

export const PROJECT_TYPES = {
  ...{ javascript: "JavaScript", typescript: "TypeScript", python: "Python", go: "Go", rust: "Rust", java: "Java" },
} satisfies Record<ProjectType, string>
