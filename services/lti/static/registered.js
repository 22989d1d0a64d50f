// Tells the platform that registered us that its frame or window may close (LTI Dynamic Registration 1.0, section 3.7).
(window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
