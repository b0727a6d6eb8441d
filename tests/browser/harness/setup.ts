import type { TestProject } from "vitest/node"
import { noChromium, serveChromium } from "./chromium.ts"
import { buildStudio } from "./studio.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the Chromium that all files of the browser's tests share. */
    chromium: string
  }
}

/** Builds the studio and starts one Chromium for all test files. Each visit has its own profile in it. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (noChromium) return undefined
  buildStudio()
  const server = await serveChromium()
  provide("chromium", server.wsEndpoint())
  return () => server.close()
}
