import type { CheckMachine } from "@switchyard/core/work/gate/environment"

/** The programs in the image that runs a stage's checks. A worker can't look into the image. */
export const IMAGE_MACHINE: CheckMachine = {
  system: "Debian 12 (bookworm)",
  programs: { node: "24", npm: null, python3: "3.11", make: null, gcc: null, "g++": null },
}
