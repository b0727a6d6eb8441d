import { anyOf, off, other } from "../../protections.ts"
import type { Records } from "../../storage/records.ts"
import { VERIFYING } from "../../work/verification/settings.ts"
import { Cleanup, defaultCleanup } from "./cleanup-schema.ts"
import { defaultPreferences } from "./default-preferences.ts"
import { createOwnerSetting, type OwnerSetting } from "./owner-setting.ts"
import { Preferences } from "./schema.ts"
import { defaultSnippets, Snippets } from "./snippets-schema.ts"
import { defaultVerification, OwnerVerification } from "./verification-schema.ts"

export interface Settings {
  preferences: OwnerSetting<Preferences>
  verification: OwnerSetting<OwnerVerification>
  cleanup: OwnerSetting<Cleanup>
  snippets: OwnerSetting<Snippets>
}

/** Owners' verification settings. */
export interface VerificationOfOwners {
  verification: Pick<Settings["verification"], "read">
}

export function createSettings(deps: { records: Records }): Settings {
  return {
    preferences: createOwnerSetting(deps, { name: "preferences", schema: Preferences, defaults: defaultPreferences }),
    verification: createOwnerSetting(deps, {
      name: "verification",
      schema: OwnerVerification,
      defaults: defaultVerification,
      protects: {
        what: VERIFYING,
        loosens: anyOf({ enabled: off, auto_run: off, account_name: other, model: other }),
      },
    }),
    cleanup: createOwnerSetting(deps, { name: "cleanup", schema: Cleanup, defaults: defaultCleanup }),
    snippets: createOwnerSetting(deps, { name: "snippets", schema: Snippets, defaults: defaultSnippets }),
  }
}
