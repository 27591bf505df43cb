import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { licences } from "./licences.ts";

/** Where `actloop serve` listens while the page is worked on with `npm run dev`. */
const SERVICE = "http://127.0.0.1:8000";

/** The formulas' fonts in one format: every browser that runs the page reads WOFF2. */
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform(code, id) {
    if (!/katex[^?]*\.css/.test(id)) return null;
    return code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\("[a-z]+"\)/g, "");
  },
};

/** Their builds for browsers parse HTML, which the page's policy forbids (Trusted Types); these don't. */
const WITHOUT_HTML = {
  "decode-named-character-reference": fileURLToPath(
    new URL("node_modules/decode-named-character-reference/index.js", import.meta.url),
  ),
};

export default defineConfig({
  resolve: { alias: WITHOUT_HTML },
  plugins: [react(), onlyWoff2, licences()],
  build: {
    outDir: "../src/actloop/page",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows nothing inline, fonts and images as data least of all.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    // The service turns away what other origins send: here, the page is its own.
    proxy: { "^/(api/|frame)": { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } } },
  },
  test: {
    environment: "happy-dom",
    environmentOptions: {
      happyDOM: { settings: { enableIframePageLoading: true, navigation: { disableChildFrameNavigation: true } } },
    },
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
