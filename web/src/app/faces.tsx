/** What the page shows instead of itself. */

import { useLocation } from "wouter";
import { useTexts } from "../i18n/i18n";
import { Button } from "../ui/button/button";
import { Notice } from "../ui/notice";
import styles from "./faces.module.css";

/** Something in the page itself went wrong. */
export function FailedFace() {
  const texts = useTexts();
  return (
    <div className={styles.face}>
      <Notice
        look="danger"
        title={texts.app.failed}
        actions={<Button onClick={() => location.reload()}>{texts.app.reload}</Button>}
      >
        {texts.app.failedHint}
      </Notice>
    </div>
  );
}

/** No page has this address. */
export function NotFoundFace() {
  const texts = useTexts();
  const [, navigate] = useLocation();
  return (
    <div className={styles.face}>
      <Notice
        look="warn"
        title={texts.app.notFound}
        actions={<Button onClick={() => navigate("/")}>{texts.app.toStart}</Button>}
      />
    </div>
  );
}
