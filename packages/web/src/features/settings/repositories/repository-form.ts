import type { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { CHECK_NAMES } from "../../../session/actions/check-commands.ts"

/** The fields of the form, as they are typed: lists have an item a line. */
export const blankRepository = {
  repository: "",
  setup: "",
  cleanup: "",
  copy: "",
  link: "node_modules\n.venv\nvenv",
  cache: "",
  ports: "0",
  /** Whether tasks are verified: `yes`, `no` or empty for as usual. */
  verify: "",
  /** The agent that reviews them; empty for none. */
  reviewer: "",
  ...{ install: "", build: "", lint: "", test: "", start: "" },
}
export type RepositoryForm = typeof blankRepository

export function toForm(settings: RepositorySettings): RepositoryForm {
  const { repository, setup, cleanup, copy, link, cache, ports, verification, checks } = settings
  return {
    ...{ repository, setup, cleanup, ports: String(ports) },
    ...{ copy: copy.join("\n"), link: link.join("\n"), cache: cache.join("\n") },
    verify: wordFor(verification?.verify),
    reviewer: verification?.verification_agent ?? "",
    ...{ install: "", build: "", lint: "", test: "", start: "", ...checks },
  }
}

/** The settings as they are sent, unchecked. */
export function fromForm(form: RepositoryForm) {
  return {
    ...{ repository: form.repository, setup: form.setup, cleanup: form.cleanup },
    ...{ copy: items(form.copy), link: items(form.link), cache: items(form.cache) },
    ports: form.ports.trim() === "" ? 0 : Number(form.ports),
    verification: {
      verify: form.verify === "" ? null : form.verify === "yes",
      verification_agent: form.reviewer || null,
    },
    checks: Object.fromEntries(
      CHECK_NAMES.filter((name) => form[name].trim() !== "").map((name) => [name, form[name]]),
    ),
  }
}

function wordFor(verify: boolean | null | undefined): string {
  if (verify === null || verify === undefined) return ""
  return verify ? "yes" : "no"
}

function items(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

/** A summary of a repository's settings, in a few words. */
export function factsOf(settings: RepositorySettings): string {
  const { setup, cleanup, copy, link, cache, ports, verification, checks } = settings
  const facts = [
    verification?.verify && "tasks are verified",
    verification?.verification_agent && `reviewed by ${verification.verification_agent}`,
    setup && `set-up: ${setup.split("\n")[0]}`,
    cleanup && `clean-up: ${cleanup.split("\n")[0]}`,
    copy.length > 0 && `copies ${copy.join(", ")}`,
    link.length > 0 && `links ${link.join(", ")}`,
    cache.length > 0 && `caches ${cache.join(", ")}`,
    ...CHECK_NAMES.map((name) => checks[name] && `${name}: ${checks[name]}`),
    ports > 0 && `${ports} ${ports === 1 ? "port" : "ports"}`,
  ].filter(Boolean)
  return facts.join(" · ") || "Nothing set"
}
