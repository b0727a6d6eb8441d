import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Facts about an AWS account that can be found without a request. */
export interface Account {
  /** Where the credentials come from, if there are any. */
  credentials?: string
  region?: string
}

type Env = Record<string, string | undefined>

/** Looks where the SDKs look: in the environment, then in the profile's files. */
export function findAccount(env: Env, home: string): Account {
  const files = {
    credentials: env.AWS_SHARED_CREDENTIALS_FILE ?? join(home, ".aws", "credentials"),
    config: env.AWS_CONFIG_FILE ?? join(home, ".aws", "config"),
  }
  const profile = env.AWS_PROFILE ?? "default"
  const kept = sectionOf(files.credentials, profile)
  const configured = sectionOf(files.config, profile === "default" ? profile : `profile ${profile}`)
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || valueIn(configured, "region")
  return { credentials: fromEnvironment(env) ?? fromProfile(profile, kept, configured), region }
}

function fromEnvironment(env: Env): string | undefined {
  if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) return "the environment"
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE && env.AWS_ROLE_ARN) return "a web identity"
  if (env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI || env.AWS_CONTAINER_CREDENTIALS_FULL_URI) return "the container"
  return undefined
}

function fromProfile(profile: string, kept: string, configured: string): string | undefined {
  const known = /^\s*(aws_access_key_id|sso_session|sso_start_url|role_arn|credential_process|login_session)\s*=/m
  return known.test(`${kept}\n${configured}`) ? `the profile ${profile}` : undefined
}

/** Returns the lines of one section of an INI file. */
function sectionOf(file: string, section: string): string {
  if (!existsSync(file)) return ""
  const [, ...parts] = readFileSync(file, "utf8").split(/^\s*\[/m)
  return parts.find((part) => part.slice(0, part.indexOf("]")).trim() === section) ?? ""
}

function valueIn(section: string, name: string): string | undefined {
  return new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)`, "m").exec(section)?.[1]
}
