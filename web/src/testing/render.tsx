/** Renders as the page does: with texts, notices, and a source of artifacts. */

import { render as renderPlain } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { ArtifactSource, type LoadArtifact } from "../elements/artifact/artifact-source";
import type { Language } from "../i18n/format";
import { I18nProvider } from "../i18n/i18n";
import { ToastProvider } from "../ui/toast/toaster";

interface RenderOptions {
  readonly language?: Language;
  readonly artifact?: LoadArtifact;
}

const NO_ARTIFACT: LoadArtifact = () => Promise.reject(new Error("The test has no such artifact."));

export function render(element: ReactNode, { language = "en", artifact = NO_ARTIFACT }: RenderOptions = {}) {
  const user = userEvent.setup();
  const around = ({ children }: { children: ReactNode }) => (
    <I18nProvider language={language}>
      <ToastProvider dismissLabel="Dismiss">
        <ArtifactSource value={artifact}>{children}</ArtifactSource>
      </ToastProvider>
    </I18nProvider>
  );
  return { user, ...renderPlain(element, { wrapper: around }) };
}
