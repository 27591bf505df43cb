/** The licences of what is built into the page: they ask to go along with every copy. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const FILE = "third-party-licences.txt";
const IN_PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENCE = /^(licen[cs]e|copying|notice)\b/i;

/** Writes the licence of each package that a module of the bundle comes from into one file beside it. */
export function licences(): Plugin {
  return {
    name: "licences",
    apply: "build",
    generateBundle() {
      const folders = new Map<string, string>();
      for (const id of this.getModuleIds()) {
        const [, folder, name] = IN_PACKAGE.exec(id) ?? [];
        if (folder !== undefined && name !== undefined) folders.set(name, folder);
      }
      const names = [...folders.keys()].sort();
      const source = names.map((name) => told(name, folders.get(name) ?? "")).join(`\n${"-".repeat(79)}\n\n`);
      this.emitFile({ type: "asset", fileName: FILE, source });
    },
  };
}

function told(name: string, folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { version, license } = manifest as { version: string; license?: string };
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENCE.test(file)) : [];
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (license === undefined && texts.length === 0) throw new Error(`${name} says nothing of its licence`);
  return `${name} ${version} (${license ?? "see below"})\n\n${texts.join("\n\n")}\n`;
}
